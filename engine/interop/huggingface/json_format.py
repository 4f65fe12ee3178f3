"""tokenizer.json as a file format."""

from collections.abc import Sequence
from functools import partial

from engine.errors import InputError
from engine.interop.format import Encode, our_encoder
from engine.interop.huggingface.exporter import id_of_twin, to_tokenizer_json
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.tokenizer import Tokenizer


def suits(tokenizer: Tokenizer) -> bool:
    """Whatever merges, matches or has probabilities, trained here; what is read from less than a tokenizer.json."""
    views = (tokenizer.pruning, tokenizer.longest_match, tokenizer.merges, tokenizer.tokenizer_json)
    return any(view is not None for view in views) or has_ranks(tokenizer)


def has_ranks(tokenizer: Tokenizer) -> bool:
    """Whether it merges bytes by rank."""
    try:
        return tokenizer.byte_ranks() is not None
    except InputError:  # two tokens have the same bytes: the export names them
        return True


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """In one of PROFILES."""
    return to_tokenizer_json(tokenizer, profile)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """The file says itself how text is cut."""
    return from_tokenizer_json(data)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """Special tokens as text, and as what they are."""
    import tokenizers

    reader = tokenizers.Tokenizer.from_str(data.decode())
    plain_id = id_of_twin(tokenizer)

    def theirs(texts: Sequence[str], allow_special: bool = False) -> list[list[int]]:
        reader.encode_special_tokens = not allow_special  # as text
        batch = reader.encode_batch(list(texts), add_special_tokens=False)
        return [[plain_id.get(token_id, token_id) for token_id in encoding.ids] for encoding in batch]

    has_special = any(not tokenizer.token_bytes(token_id) for token_id in range(tokenizer.vocab_size))
    ways = [False, True] if has_special else [False]
    return [(our_encoder(tokenizer, allow), partial(theirs, allow_special=allow)) for allow in ways]
