"""Public tokenizers on our own engine: packages only provide the vocabularies.

All but GPT-2's come from the optional package `splintr-rs`: byte-level ones as ranks, SentencePiece's as pieces without
scores, which merge in order of their ids, as they were learned.
"""

import lzma
from functools import cache
from pathlib import Path
from typing import Any

from engine.config import N_BYTES
from engine.errors import InputError
from engine.interop.imported.byte_text import from_byte_text
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
from engine.merges.alphabet import BYTE_ORDER
from engine.public.catalogue import PublicTokenizer, find_public
from engine.tokenizer import Tokenizer

_GPT2 = Path(__file__).resolve().parents[2] / "assets" / "gpt2" / "vocab.bpe.xz"
_PACKAGE = "splintr-rs"

# Runs of spaces come last, whatever their ids, so that only spaces merge with spaces first.
_LAST = -1e9


def load_public(name: str) -> Tokenizer:
    """The public tokenizer of that name.

    Raises
    ------
    InputError : there is none of that name, or the package with its vocabulary is not installed or of another version.
    """
    facts = find_public(name)
    if name == "gpt2":
        return _gpt2(facts)
    package = _package()
    if package is None:
        raise InputError("public.missing", name=name, package=_PACKAGE)
    try:
        source = package.Tokenizer.from_pretrained(name)
        return _pieces(source, facts) if facts.pattern is None else _ranks(source, facts)
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
        raise InputError("public.version", name=name, package=_PACKAGE) from None


def is_available(name: str) -> bool:
    """Whether the tokenizer of that name can be loaded here."""
    return find_public(name).name == "gpt2" or _package() is not None


@cache
def _package() -> Any:
    """The package; None if it is not installed, or not built for this machine."""
    try:
        import splintr
    except ImportError:
        return None
    return splintr


def _gpt2(facts: PublicTokenizer) -> TiktokenBpe:
    """Bytes in GPT-2's order, then the result of each merge."""
    tokens = [bytes([byte]) for byte in BYTE_ORDER]
    for line in lzma.decompress(_GPT2.read_bytes()).decode().splitlines()[1:]:
        made = from_byte_text(line.replace(" ", ""))
        assert made is not None
        tokens.append(made)
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert facts.pattern is not None
    return TiktokenBpe(ranks, facts.pattern, {"<|endoftext|>": len(ranks)})


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
