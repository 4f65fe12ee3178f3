"""The vocabularies in the package `splintr-rs`, on our own engine.

Byte-level ones come as ranks, SentencePiece's as pieces without scores, which merge in order of their ids, as they were
learned.
"""

from typing import Any

from engine.config import N_BYTES
from engine.interop.sentencepiece.importer import SentencePieceTokenizer
from engine.interop.sentencepiece.proto import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    ModelPiece,
    SentencePieceProto,
)
from engine.interop.tiktoken.ranks import TiktokenBpe
from engine.public.catalogue import PublicTokenizer
from engine.tokenizer import Tokenizer

# Runs of spaces come last, whatever their ids, so that only spaces merge with spaces first.
_LAST = -1e9


def from_splintr(facts: PublicTokenizer) -> Tokenizer:
    """The tokenizer with the package's vocabulary of that name; ImportError if it is not installed."""
    import splintr

    source = splintr.Tokenizer.from_pretrained(facts.name)
    return _pieces(source, facts) if facts.pattern is None else _ranks(source, facts)


def _ranks(source: Any, facts: PublicTokenizer) -> TiktokenBpe:
    special = _special(source, facts)
    names = {token_id: text for text, token_id in special.items()}
    tokens: dict[int, bytes] = {}
    for token_id in range(facts.vocab_size):
        if token_id not in names:
            try:
                tokens[token_id] = source.decode_token_bytes(token_id)
            except ValueError:  # an unused id
                continue
    # Tokens before the single bytes are special: they have names, and no text becomes them.
    first = min(token_id for token_id, token in tokens.items() if len(token) == 1)
    special |= {token.decode(): token_id for token_id, token in tokens.items() if token_id < first}
    ranks = {token: token_id for token_id, token in tokens.items() if token_id >= first}
    # More ids may be reserved after the named ones; the last one gives their number.
    last = facts.vocab_size - 1
    if last not in names and last not in tokens:
        special[f"<unused {last}>"] = last
    assert facts.pattern is not None
    return TiktokenBpe(ranks, facts.pattern, special, normalization=facts.normalization)


def _special(source: Any, facts: PublicTokenizer) -> dict[str, int]:
    """The model's own special tokens; those with higher ids are the package's."""
    return {text: token_id for text, token_id in source.special_tokens().items() if token_id < facts.vocab_size}


def _pieces(source: Any, facts: PublicTokenizer) -> SentencePieceTokenizer:
    special = {token_id: text for text, token_id in _special(source, facts).items()}
    texts: list[str | None] = []
    for token_id in range(facts.vocab_size):
        try:
            texts.append(special.get(token_id) or source.decode_token(token_id))
        except ValueError:  # a byte that is not a character by itself
            texts.append(None)
    first_byte = texts.index(None) - N_BYTES // 2
    first = first_byte + N_BYTES
    pieces = []
    for token_id, text in enumerate(texts):
        if first_byte <= token_id < first:
            pieces.append(ModelPiece(f"<0x{token_id - first_byte:02X}>", 0.0, BYTE))
            continue
        assert text is not None
        is_blank = len(text) > 1 and not text.strip(" ")
        if token_id < first:
            pieces.append(ModelPiece(text.replace(" ", "▁"), 0.0, _kind(text)))
        else:
            pieces.append(ModelPiece(text.replace(" ", "▁"), _LAST if is_blank else float(first - token_id), NORMAL))
    # Gemma adds no space before a text, and its runs of white space are always pieces.
    has_prefix = not any(piece.kind == USER_DEFINED for piece in pieces)
    proto = SentencePieceProto(
        pieces, BPE, byte_fallback=True, add_dummy_prefix=has_prefix, remove_extra_whitespaces=False
    )
    return SentencePieceTokenizer(proto)


def _kind(text: str) -> int:
    """Kind of a piece with an id below those of the bytes and the learned pieces."""
    if text == "<unk>":
        return UNKNOWN
    return CONTROL if text.strip(" \n\t") else USER_DEFINED
