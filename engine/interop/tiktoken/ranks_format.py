"""Ranks of tiktoken as a file format."""

import base64

from engine.interop.format import Encode, our_encoder
from engine.interop.huggingface.json_format import has_ranks
from engine.interop.tiktoken.ranks import from_tiktoken, tiktoken_parameters, to_tiktoken
from engine.tokenizer import Tokenizer


def suits(tokenizer: Tokenizer) -> bool:
    """Byte-level BPE."""
    return has_ranks(tokenizer)


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """A token and its rank a line."""
    return to_tiktoken(tokenizer)


def read(data: bytes, pattern: str | None) -> Tokenizer:
    """Cut by the pattern; without one, by that of a known file with as many ranks."""
    return from_tiktoken(data, pattern)


def encoders(tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
    """With our pattern: the file has none."""
    import tiktoken

    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}
    pattern, special = tiktoken_parameters(tokenizer)
    encoding = tiktoken.Encoding("exported", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    return [(our_encoder(tokenizer), lambda texts: [encoding.encode_ordinary(text) for text in texts])]
