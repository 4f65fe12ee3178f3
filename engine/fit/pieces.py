"""A SentencePiece `.model` of type Unigram or BPE."""

from collections.abc import Mapping

import numpy as np

from engine.errors import InputError
from engine.fit.editable import Editable, MergeParts
from engine.fit.scored import ScoredEditable
from engine.interop.sentencepiece.importer import SentencePieceTokenizer, from_sentencepiece
from engine.interop.sentencepiece.merging import MARK
from engine.interop.sentencepiece.proto import BPE, NORMAL, UNUSED, ModelPiece, with_pieces, write_proto
from engine.tokenizer import Tokenizer


class PieceFile(Editable):
    """Everything but the pieces stays as the file has it; see Editable."""

    target = "sentencepiece"
    tokenizer: SentencePieceTokenizer

    def __init__(self, tokenizer: SentencePieceTokenizer, data: bytes | None = None) -> None:
        self.tokenizer = tokenizer
        self.data = write_proto(tokenizer.proto) if data is None else data

    def normalized(self, lines: list[str]) -> list[str]:
        """The lines as the file says."""
        import sentencepiece

        texts: list[str] = sentencepiece.SentencePieceProcessor(model_proto=self.data).normalize(lines)
        return texts

    def spell(self, text: str) -> list[int]:
        """The pieces of a normalized text."""
        return self.tokenizer.spell(text)

    def with_more(self, pieces: list[ModelPiece], new: Mapping[str, float]) -> tuple[SentencePieceTokenizer, bytes]:
        """With these pieces in place of its own, and new ones with their scores."""
        data = with_pieces(self.data, [*pieces, *(ModelPiece(text, score, NORMAL) for text, score in new.items())])
        return from_sentencepiece(data), data

    def parts(self) -> MergeParts:
        """The last merge of every piece of a BPE; a piece of Unigram has none, and the lowest score goes first.

        Characters stay; of Unigram the lowest score too, since that of an unknown character depends on it; of BPE the
        pieces of equal score, since their place in a text decides which merges first.
        """
        pieces, merger = self.tokenizer.proto.pieces, self.tokenizer.merger
        score = np.array([piece.score for piece in pieces])
        is_fixed = np.array([piece.kind != NORMAL or len(piece.text) == 1 for piece in pieces])
        normal = np.flatnonzero([piece.kind == NORMAL for piece in pieces])
        if merger is None:
            none = np.full(score.size, -1, dtype=np.int32)
            is_fixed[normal[np.argsort(score[normal], kind="stable")[:1]]] = True
            return MergeParts(none, none, is_fixed, np.argsort(np.argsort(-score, kind="stable")))
        left, right = merger.last_merges(pieces)
        _, number, count = np.unique(score[normal], return_inverse=True, return_counts=True)
        is_fixed[normal] |= (count > 1)[number] | (left < 0)[normal] & (right >= 0)[normal]
        return MergeParts(left, right, is_fixed)

    def trimmed(self, new_id: np.ndarray) -> tuple[SentencePieceTokenizer, bytes]:
        """Without some pieces; those of Unigram that leave a gap stay as unused ones."""
        pieces = self.tokenizer.proto.pieces
        n_kept = int((new_id >= 0).sum())
        if int(new_id.max()) < n_kept:
            pieces = [piece for piece, new in zip(pieces, new_id.tolist(), strict=True) if new >= 0]
        elif self.tokenizer.proto.algorithm == BPE:
            raise InputError("fit.holes")
        else:
            pieces = [
                p if new >= 0 else p._replace(kind=UNUSED) for p, new in zip(pieces, new_id.tolist(), strict=True)
            ]
        data = with_pieces(self.data, pieces)
        return from_sentencepiece(data), data


class UnigramFile(PieceFile, ScoredEditable):
    """Of type Unigram."""

    def __init__(self, tokenizer: SentencePieceTokenizer, data: bytes | None = None) -> None:
        super().__init__(tokenizer, data)
        self.mark = MARK if tokenizer.proto.escape_whitespaces else " "

    def scores(self) -> tuple[dict[str, float], set[str], float, float]:
        """As the file has them; user-defined pieces score what makes them win."""
        pieces = self.tokenizer.proto.pieces
        log_prob = self.tokenizer.statistics()["log_prob"].tolist()
        of_text = {piece.text: log_prob[i] for i, piece in enumerate(pieces) if not np.isnan(log_prob[i])}
        least = min(piece.score for piece in pieces if piece.kind == NORMAL)
        return of_text, {piece.text for piece in pieces}, least, self.tokenizer.unknown_score

    def with_scores(self, new: Mapping[str, float], old: Mapping[str, float]) -> tuple[Tokenizer, bytes]:
        """User-defined pieces keep their scores, which are not looked at."""
        pieces = self.tokenizer.proto.pieces
        scored = [
            piece._replace(score=old[piece.text]) if piece.kind == NORMAL and piece.text in old else piece
            for piece in pieces
        ]
        return self.with_more(scored, new)
