"""The vocabularies in `assets/vocabularies`: the files that were published, compressed."""

import lzma
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.corpus.morphemes.mecab import analysed_morphemes
from engine.errors import ModelFileError
from engine.interop.huggingface.vocab_txt import from_vocab_txt
from engine.interop.imported.byte_text import from_byte_text
from engine.interop.sentencepiece.importer import SentencePieceTokenizer, from_sentencepiece
from engine.interop.sentencepiece.proto import UNKNOWN, SentencePieceProto, read_proto
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
