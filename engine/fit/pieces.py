"""A SentencePiece `.model` of type Unigram or BPE."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from engine.corpus.arrays import Pretokens, count_pretokens
from engine.errors import InputError
from engine.fit.editable import EncodedWords, MergeParts, NewMerge, TextEditable
from engine.fit.listed import ListedTokens, listed_merges
from engine.fit.merges import continue_merges
from engine.fit.scored import ScoredEditable
from engine.interop.sentencepiece.importer import SentencePieceTokenizer, from_sentencepiece
from engine.interop.sentencepiece.merging import MARK
from engine.interop.sentencepiece.proto import BPE, NORMAL, UNUSED, ModelPiece, with_pieces, write_proto
from engine.pretokenization import get_pretokenizer

# Where words of a BPE end: its own training cuts at spaces, and between letters, digits and other signs.
_WORDS = "gpt2"


class PieceFile(TextEditable):
    """Everything but the pieces stays as the file has it; see Editable."""

    target = "sentencepiece"
    merges_by_text = True
    tokenizer: SentencePieceTokenizer

    def __init__(self, tokenizer: SentencePieceTokenizer, data: bytes | None = None) -> None:
        self.tokenizer = tokenizer
        self.data = write_proto(tokenizer.proto) if data is None else data
        self.mark = MARK if tokenizer.proto.escape_whitespaces else " "

    def words(self, lines: list[str], threads: int) -> EncodedWords:
        """The distinct words of the lines."""
        return self.symbols(self.distinct_words(lines), threads)

    def distinct_words(self, lines: list[str]) -> Pretokens:
        """The distinct words of the lines, with spaces for marks."""
        spaced = (line.replace(self.mark, " ") for line in self.normalized(lines))
        return count_pretokens(spaced, get_pretokenizer(_WORDS))

    def symbols(self, words: Pretokens, threads: int) -> EncodedWords:
        """The pieces of distinct words."""
        texts = [words.text(i).replace(" ", self.mark) for i in range(words.count.size)]
        return self._encoded(texts, words.count, threads)

    def word(self, token: str) -> EncodedWords:
        """The token as one word, whatever its characters."""
        return self._encoded([self.listed_text(token)], np.ones(1, dtype=np.int64), 1)

    def _encoded(self, texts: list[str], weight: np.ndarray, threads: int) -> EncodedWords:
        assert self.tokenizer.merger is not None  # of type BPE
        batch = self.tokenizer.merger.encode_lines(texts, threads, marks_are_spaces=False)
        merges = np.array([piece.kind == NORMAL for piece in self.tokenizer.proto.pieces])
        return EncodedWords(np.where(merges[batch.ids], batch.ids, -1).astype(np.int32), batch.line_ptr, weight)

    def texts(self) -> list[bytes]:
        """As the file has them."""
        return [piece.text.encode() for piece in self.tokenizer.proto.pieces]

    def widened(self, characters: Iterable[str]) -> "PieceFile":
        """With characters as its last pieces; its file does not have them."""
        proto, (score,) = self.tokenizer.proto, self.scores_after(1)
        more = [ModelPiece(text, score, NORMAL) for text in characters]
        return PieceFile(SentencePieceTokenizer(proto._replace(pieces=[*proto.pieces, *more])), self.data)

    def scores_after(self, n: int) -> list[float]:
        """The n scores that follow the lowest one, descending: one less each, or the next smaller number (32 bits)."""
        scores = [np.float32(min(piece.score for piece in self.tokenizer.proto.pieces if piece.kind == NORMAL))]
        for _ in range(n):
            scores.append(min(scores[-1] - np.float32(1), np.nextafter(scores[-1], np.float32(-np.inf))))
        return [float(score) for score in scores[1:]]

    def normalized(self, lines: list[str]) -> list[str]:
        """The lines as the file says."""
        return self._normalize(lines)

    @cached_property
    def _normalize(self) -> Callable[[list[str]], list[str]]:
        import sentencepiece

        normalize: Callable[[list[str]], list[str]] = sentencepiece.SentencePieceProcessor(
            model_proto=self.data
        ).normalize
        return normalize

    def spell(self, text: str) -> list[int]:
        """The pieces of a normalized text."""
        return self.tokenizer.spell(text)

    def with_scores(self, new: Mapping[str, float], old: Mapping[str, float]) -> tuple[SentencePieceTokenizer, bytes]:
        """User-defined pieces keep their scores, which are not looked at."""
        pieces = [
            piece._replace(score=old[piece.text]) if piece.kind == NORMAL and piece.text in old else piece
            for piece in self.tokenizer.proto.pieces
        ]
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

    def scores(self) -> tuple[dict[str, float], set[str], float, float]:
        """As the file has them; user-defined pieces score what makes them win."""
        pieces = self.tokenizer.proto.pieces
        log_prob = self.tokenizer.statistics()["log_prob"].tolist()
        of_text = {piece.text: log_prob[i] for i, piece in enumerate(pieces) if not np.isnan(log_prob[i])}
        least = min(piece.score for piece in pieces if piece.kind == NORMAL)
        return of_text, {piece.text for piece in pieces}, least, self.tokenizer.unknown_score


def learn_pieces(editable: PieceFile, lines: list[str], n: int, min_count: int, threads: int) -> dict[str, float]:
    """Up to n new pieces of a BPE with their scores, below all old ones: characters that it lacks, and what merges.

    In the order of what they save: a merge the occurrences of its pair, a character those of its bytes but one. So a
    character comes before what is merged from it.

    Parameters
    ----------
    min_count : the least count of a pair, and of a character.
    """
    words = editable.distinct_words(lines)
    code, place = np.unique(words.chars, return_inverse=True)
    count = np.bincount(place, np.repeat(words.count, np.diff(words.ptr)), code.size).astype(np.int64)
    of_character = dict(zip(map(chr, code.tolist()), count.tolist(), strict=True))
    lacking = _lacking(editable, of_character)
    saved = {
        text: of_character[text] * max(1, len(text.encode()) - 1) for text in lacking if of_character[text] >= min_count
    }
    characters = sorted(saved, key=lambda text: (-saved[text], text))
    wide = editable.widened(characters)
    merges = continue_merges(wide, wide.symbols(words, threads), n, min_count)
    texts: dict[str, None] = {}
    for merge in merges:
        while characters and saved[characters[0]] >= merge.frequency:
            texts[characters.pop(0)] = None
        texts[merge.text.decode()] = None
    texts |= dict.fromkeys(characters)
    return dict(zip([*texts][:n], editable.scores_after(n), strict=False))


def list_pieces(
    editable: PieceFile, tokens: Sequence[str], lost: Collection[str] = ()
) -> tuple[dict[str, float], ListedTokens]:
    """The new pieces that the tokens of a list need, with their scores, below all old ones; see `listed_merges`."""
    characters = _lacking(editable, set("".join(editable.normalized([*tokens]))))
    wide, n_old = editable.widened(characters), editable.tokenizer.vocab_size
    listed = listed_merges(wide, tokens, lost, n_old)
    texts = {editable.listed_text(token): token for token in listed.texts.values()}
    used = set("".join(texts))
    made = [*(text for text in characters if text in used), *(merge.text.decode() for merge in listed.merges)]
    ids = {text: n_old + k for k, text in enumerate(dict.fromkeys(made))}
    merges = [NewMerge(-1, -1, token_id, text.encode()) for text, token_id in ids.items()]
    listed = listed._replace(merges=merges, texts={ids[text]: token for text, token in texts.items()})
    return dict(zip(ids, editable.scores_after(len(ids)), strict=True)), listed


def _lacking(editable: PieceFile, characters: Iterable[str]) -> list[str]:
    """The characters that are no pieces; NUL cannot be one."""
    known = {piece.text for piece in editable.tokenizer.proto.pieces} | {"\0", " ", editable.mark}
    return sorted(text for text in characters if text not in known)
