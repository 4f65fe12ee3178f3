"""The vocabularies in `assets/vocabularies`, the files that were published, compressed; and those of `splintr-rs`."""

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import N_BYTES
from engine.corpus.morphemes.mecab import analysed_morphemes
from engine.errors import ModelFileError
from engine.interop.huggingface.vocab_txt import from_vocab_txt
from engine.interop.imported.byte_text import from_byte_text
from engine.interop.sentencepiece.importer import SentencePieceTokenizer, from_sentencepiece
from engine.interop.sentencepiece.proto import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    ModelPiece,
    SentencePieceProto,
    read_proto,
)
from engine.interop.tiktoken.ranks import TiktokenBpe
from engine.machine.atomic_file import read_file
from engine.merges.alphabet import BYTE_ORDER
from engine.public.catalogue import PublicTokenizer
from engine.tokenizer import Encoding, Tokenizer

_MARK, _SPACE = "▁", "▃"


class MorphemePieces(SentencePieceTokenizer):
    """Implements the Tokenizer protocol with kortok's ids: a space is a token of its own."""

    def __init__(self, proto: SentencePieceProto) -> None:
        super().__init__(proto)
        ids = {piece.text: token_id for token_id, piece in enumerate(proto.pieces)}
        self._mark, self._space, self._marked_space = ids[_MARK], ids[_SPACE], ids[_MARK + _SPACE]

    @property
    def name(self) -> str:
        """Name of the algorithm for display."""
        return f"MeCab, {super().name}"

    encode_lines = Tokenizer.encode_lines

    def _normalized(self, text: str) -> tuple[str, np.ndarray]:
        joined, origin = _joined(text)
        normalized, offsets = super()._normalized(joined)
        return normalized, origin[offsets]

    def _encode(self, text: str) -> Encoding:
        found = super()._encode(text)
        ids, spans = [], []
        begin = 0
        for token_id, following, span in zip(found.ids, [*found.ids, -1][1:], found.spans, strict=True):
            if token_id == self._mark and following == self._space:
                continue
            ids.append(self._space if token_id == self._marked_space else token_id)
            spans.append((begin, span[1]))
            begin = span[1]
        return Encoding(ids, spans)

    def token_bytes(self, token_id: int) -> bytes:
        """Surface bytes of a piece: ▃ is a space, ▁ only begins a morpheme."""
        return _surface(super().token_bytes(token_id).decode().replace(" ", "")).encode()

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids; the unknown piece is ` ⁇ `, as in SentencePiece."""
        pieces = [self._checked(token_id) for token_id in ids]
        surface = self.proto.unknown_surface
        return "".join(surface if kind == UNKNOWN else _surface(text) for text, _, kind in pieces).strip()


VOCABULARIES = Path(__file__).resolve().parents[2] / "assets" / "vocabularies"

# Their path there, without `.xz`.
FILES = {
    "bert": "bert/vocab.txt",
    "bert-multilingual": "bert/multilingual.vocab.txt",
    "gpt2": "gpt2/vocab.bpe",
    "kcbert": "kcbert/vocab.txt",
    "kobigbird": "kobigbird/vocab.txt",
    "kortok-mecab-sp-32k": "kortok/mecab_sp-32k.model",
    "kortok-sp-32k": "kortok/sp-32k.model",
    "kortok-sp-64k": "kortok/sp-64k.model",
}
_LOWERCASE = ("bert",)


def from_packed(facts: PublicTokenizer) -> Tokenizer:
    """The tokenizer with the vocabulary of that name; InputError as in `unpacked`."""
    data = unpacked(facts.name)
    if facts.name == "gpt2":
        return _gpt2(data.decode(), facts)
    if facts.package:
        return MorphemePieces(read_proto(data))
    if FILES[facts.name].endswith(".model"):
        return from_sentencepiece(data)
    return from_vocab_txt(data, lowercase=facts.name in _LOWERCASE)


def unpacked(name: str) -> bytes:
    """The file that was published; ModelFileError if ours is damaged or missing."""
    data = read_file(VOCABULARIES / f"{FILES[name]}.xz", ModelFileError)
    try:
        return lzma.decompress(data)
    except (lzma.LZMAError, EOFError):
        raise ModelFileError("public.damaged", name=name) from None


def _gpt2(merges: str, facts: PublicTokenizer) -> TiktokenBpe:
    """Bytes in GPT-2's order, then the result of each merge."""
    tokens = [bytes([byte]) for byte in BYTE_ORDER]
    for line in merges.splitlines()[1:]:
        made = from_byte_text(line.replace(" ", ""))
        assert made is not None
        tokens.append(made)
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert facts.pattern is not None
    return TiktokenBpe(ranks, facts.pattern, {"<|endoftext|>": len(ranks)})


def _surface(piece: str) -> str:
    return piece.replace(_MARK, "").replace(_SPACE, " ")


def _joined(text: str) -> tuple[str, np.ndarray]:
    """The morphemes with a space between two, and ▃ where the text has one; origins of all its bytes in the text."""
    parts: list[str] = []
    origin = [0]
    done = 0  # bytes of the text
    end = 0  # of the last morpheme
    for morpheme in analysed_morphemes(text):
        gap = text[end : morpheme.begin]
        done += len(gap.encode())
        if parts and any(map(str.isspace, gap)):
            parts += [" ", _SPACE]
            origin += [origin[-1]] * len(_SPACE.encode()) + [done]
        if parts:
            parts.append(" ")
            origin.append(done)
        surface = text[morpheme.begin : morpheme.end]
        size = len(surface.encode())
        parts.append(surface)
        origin += range(done + 1, done + size + 1)
        done += size
        end = morpheme.end
    return "".join(parts), np.array(origin, dtype=np.int64)


# Runs of spaces come last, whatever their ids, so that only spaces merge with spaces first.
_LAST = -1e9


def from_splintr(facts: PublicTokenizer) -> Tokenizer:
    """The tokenizer with the vocabulary of that name in the package `splintr-rs`; ImportError if it is not installed.

    Byte-level ones come as ranks, SentencePiece's as pieces without scores, which merge in order of their ids, as they
    were learned.
    """
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
