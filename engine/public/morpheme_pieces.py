"""SentencePiece on MeCab's morphemes, as kortok's `mecab_sp` cuts: spaces become ▃, and each morpheme is a word."""

from collections.abc import Sequence

import numpy as np

from engine.corpus.morphemes.mecab import analysed_morphemes
from engine.interop.sentencepiece.importer import SentencePieceTokenizer
from engine.interop.sentencepiece.proto import UNKNOWN, SentencePieceProto
from engine.tokenizer import Encoding

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
