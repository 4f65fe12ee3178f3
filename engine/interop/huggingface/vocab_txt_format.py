"""vocab.txt as a file format."""

from collections.abc import Sequence

from engine.interop.format import Encode, our_encoder
from engine.interop.huggingface import json_format
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.huggingface.vocab_txt import WORDPIECE, from_vocab_txt, to_vocab_txt
from engine.tokenizer import MatchingTokenizer, Tokenizer


def suits(tokenizer: Tokenizer) -> bool:
    """WordPiece, wherever it came from."""
    return tokenizer.longest_match is not None or tokenizer.name == WORDPIECE


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """A token a line."""
    return to_vocab_txt(tokenizer)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """As BERT's programs read it."""
    return from_vocab_txt(data)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """Pre-token by pre-token, as the file does not say how text is cut; of what is imported, cut as by BERT."""
    if tokenizer.longest_match is None:
        return json_format.encoders(tokenizer, to_tokenizer_json(from_vocab_txt(data)))
    return [(our_encoder(tokenizer), _encoder(tokenizer.longest_match, data))]


def _encoder(tokenizer: MatchingTokenizer, data: bytes) -> Encode:
    import tokenizers

    vocabulary = {label: i for i, label in enumerate(data.decode().removesuffix("\n").split("\n"))}
    model = tokenizers.models.WordPiece(
        vocabulary, unk_token=tokenizer.settings.unknown, max_input_chars_per_word=1 << 30
    )

    def encode(texts: Sequence[str]) -> list[list[int]]:
        words = ((word.strip() for word in tokenizer.pretokenizer.split(text)) for text in texts)
        return [[token.id for word in line if word for token in model.tokenize(word)] for line in words]

    return encode
