"""The lattice of a text under an imported Unigram vocabulary: T5's, XLM-R's, SentencePiece's."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.lattice.lattice import Lattice, find_arcs
from engine.vocabulary.trie import Trie

# Scores in files are log probabilities, merge ranks (up to a million), or a bonus. Up to this limit 32 bits represent
# integers exactly, and the sums over any text are finite.
MOST_SCORE = 10_000_000


class ScoredPieces(NamedTuple):
    """A Unigram vocabulary from a file.

    Attributes
    ----------
    ids : id by text, as matched in text.
    trie : of these texts.
    log_prob : float64[n_ids], natural logarithms; in most files the probabilities sum to less than one.
    unknown_log_prob : of a character without a token; a penalty, not a probability.
    unknown : id of the unknown token; None if there is none.
    byte_ids : int32[256], id of each byte's token, -1 if it has none; None without byte fallback.
    label : text of a token as written in the file.
    """

    ids: Mapping[str, int]
    trie: Trie
    log_prob: np.ndarray
    unknown_log_prob: float
    unknown: int | None
    byte_ids: np.ndarray | None
    label: Callable[[int], str]


class NormalizedText(NamedTuple):
    """A text as the vocabulary sees it, and its source offsets.

    Attributes
    ----------
    text : normalized, cut, and without what the pre-tokenizer drops.
    bounds : int64, ascending, ends of pieces; the first is 0, the last the text's length.
    offsets : int64[len(text) + 1], where each character begins in the original text (UTF-8 bytes).
    certain : pieces (begin, end, id) of added tokens; no other arc overlaps them.
    """

    text: str
    bounds: np.ndarray
    offsets: np.ndarray
    certain: Sequence[tuple[int, int, int]] = ()


class ImportedLattice(Lattice):
    """The lattice of one text; a character without a token becomes its bytes or the unknown token.

    Adjacent unknown characters have one arc each here; `encode` writes them as one token.

    Parameters
    ----------
    pieces : the vocabulary.
    source : the text.
    forbid, add, force : see Lattice; texts as the vocabulary writes them (`▁한국`).

    Raises
    ------
    InputError : a character cannot be encoded, see `import.no_token`; or as in Lattice.
    """

    def __init__(
        self,
        pieces: ScoredPieces,
        source: NormalizedText,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._pieces = pieces
        unknown = np.full(1, pieces.unknown_log_prob)
        nothing = np.empty(0, dtype=np.int32)
        arcs = find_arcs(
            to_codes(source.text), source.bounds, pieces.trie, pieces.log_prob, nothing, (unknown, unknown)
        )
        if pieces.unknown is None:
            arcs = arcs.take(arcs.number >= 0)
        for begin, end, token in source.certain:
            arcs = arcs.take((arcs.end <= begin) | (arcs.begin >= end))
            arcs = arcs.append(np.array([begin]), np.array([end]), token, 0.0, 0.0)
        super().__init__(source.text, source.bounds, source.offsets, arcs, forbid, add, force)
        reached = self._viterbi_table[0] > -np.inf
        if not reached[self.n]:
            raise InputError("import.no_token", character=source.text[int(np.flatnonzero(reached)[-1])])

    def _number(self, token: str) -> int:
        return self._pieces.ids.get(token, -2)

    def _id(self, number: int) -> int:
        return number

    def _fallback(self, character: str) -> tuple[float, float] | None:
        if self._pieces.unknown is None:
            return None
        return self._pieces.unknown_log_prob, self._pieces.unknown_log_prob

    def _fallback_ids(self, arc: int) -> list[int]:
        """Ids of the character's bytes, or of the unknown token."""
        if self._pieces.byte_ids is not None:
            ids = self._pieces.byte_ids[list(self.text[self.begin[arc]].encode())]
            if (ids >= 0).all():
                return ids.tolist()
        return [] if self._pieces.unknown is None else [self._pieces.unknown]

    def label(self, arc: int) -> str:
        """A token as in the file; for an unknown character, its bytes or the unknown token."""
        number = int(self.number[arc])
        if number >= 0:
            return self._pieces.label(number)
        if number == -2:
            return self.text[self.begin[arc] : self.end[arc]]
        return "".join(self._pieces.label(token_id) for token_id in self._fallback_ids(arc))

    def written(self, arc: int) -> list[int]:
        """Ids that encode the arc."""
        number = int(self.number[arc])
        return [number] if number >= 0 else self._fallback_ids(arc) if number == -1 else []

    def n_tokens(self, path: Sequence[int]) -> int:
        """As `Lattice.n_tokens`; a run of unknown characters is one token."""
        unknown = [self.number[arc] == -1 and self.written(arc) == [self._pieces.unknown] for arc in path]
        return super().n_tokens(path) - sum(one and other for one, other in pairwise(unknown))
