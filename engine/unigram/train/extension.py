"""New tokens beside those of a Unigram vocabulary: their scores by EM on a text, and which of them are worth an id."""

import math
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import Corpus
from engine.corpus.pretokens.pretokenize import text_of
from engine.lattice.encoding import _segment_pieces
from engine.unigram.train.em import fold_viterbi, maximise
from engine.unigram.train.pruning import LEAST_COUNT
from engine.unigram.train.seed import build_tree, grow_levels
from engine.unigram.train.trainer import LOG_PROB_GRID, Trainer, _log_weight, _State
from engine.vocabulary.trie import Trie

# A character that is no token has one score in other programs; here, that of its bytes, three in Korean.
_BYTES_OF_UNKNOWN = 3


class OldScores(NamedTuple):
    """The vocabulary to extend.

    Attributes
    ----------
    of_text : scores (natural logarithms) of what text may become.
    taken : texts that no new token may have.
    trie, by_id : of these texts, and their scores by the trie's numbers (float64).
    least, unknown : the lowest score, and that of a character that is no token.
    """

    of_text: Mapping[str, float]
    taken: Collection[str]
    trie: Trie
    by_id: np.ndarray
    least: float
    unknown: float


class Estimated(NamedTuple):
    """The scores of the new tokens, the most useful first, and those of the old ones, by text."""

    new: dict[str, float]
    old: dict[str, float]


def substrings_to_try(
    corpus: Corpus, settings: TrainingSettings, old: OldScores, most: int, threads: int = 1
) -> list[str]:
    """The substrings of pre-tokens that would save most old tokens if every occurrence were one token, at most `most`.

    Sorted by what they save; ties by length, then by bytes.
    """
    levels, _, _, _ = grow_levels(corpus, settings, threads)
    last = [corpus.pretokens.chars[level.position[level.ptr[:-1]] + k] for k, level in enumerate(levels)]
    tree = build_tree([level.parent for level in levels], last, [level.formed for level in levels])
    groups = np.arange(tree.level_ptr[1], tree.parent.size)
    chars, begin = tree.spell(groups)
    end = np.append(begin[1:], chars.size)
    _, _, piece_end = _segment_pieces(chars, begin, end, *old.trie, old.by_id, old.unknown)
    n_pieces = np.diff(np.searchsorted(piece_end, np.append(0, end), side="right"))
    saved = tree.formed[groups] * (n_pieces - 1)
    best = np.argsort(-saved, kind="stable")[:most]
    best = best[saved[best] > 0]
    return [text_of(chars[begin[i] : end[i]]) for i in best.tolist()]


class Extension(Trainer):
    """Rounds of EM and pruning, as in training, in which only new tokens are removed; call `best` once."""

    def best(self, old: OldScores, n: int, min_count: int, keeps: bool) -> Estimated:
        """The scores of the best n new tokens.

        A round removes the tokens that save least: uses in the best segmentations x (pieces without the token - 1).

        Parameters
        ----------
        min_count : occurrences that a new character needs.
        keeps : the old scores stay. New ones are then logarithms of shares of the text's tokens, and all together are
            more than one: to subtract a constant from each would change which of two segmentations with different
            numbers of tokens is the best. None is below the lowest old one, from which the score of unknown
            characters follows. Without it the old ones are estimated, too, and those that the text never uses have
            the score of half a use.
        """
        texts = self._texts()
        known = np.array([old.of_text.get(text, np.nan) for text in texts])
        known[0x80:N_BYTES] = np.nan
        is_byte = np.isnan(known) & (np.arange(known.size) < N_BYTES)
        known[is_byte] = old.unknown / np.where(np.arange(N_BYTES) < 0x80, 1, _BYTES_OF_UNKNOWN)[is_byte[:N_BYTES]]
        is_new = np.isnan(known)
        is_fixed = ~is_new if keeps else is_byte
        unseen = old.of_text.keys() - texts
        count = self._seed.weight / np.maximum(self._seed.length, 1)
        start = np.log(np.maximum(count, 1.0) / self._corpus.pretokens.chars.size)
        state = _State(np.arange(known.size, dtype=np.int32), np.where(is_new, start, known))
        is_refused = (count < min_count) | np.array([text in old.taken for text in texts])
        removed = np.flatnonzero(is_new & is_refused)
        while True:
            alive = self._drop(state, removed)
            state = _State(state.rows[alive], state.log_prob[alive])
            new, fixed = np.flatnonzero(is_new[state.rows]), np.flatnonzero(is_fixed[state.rows])
            for _ in range(self._settings.sub_iterations):
                expected = np.append(self._expected_counts(state), np.zeros(len(unseen)))
                log_prob = maximise(expected, np.setdiff1d(np.arange(expected.size), new))
                log_prob = np.round(log_prob * LOG_PROB_GRID) / LOG_PROB_GRID
                log_prob[fixed] = known[state.rows[fixed]]
                state = state._replace(log_prob=log_prob[: state.rows.size])
            saved = self._saved(state, new)
            order = np.argsort(-saved, kind="stable")
            if new.size <= n:
                break
            n_rare = int((expected[new] < LEAST_COUNT).sum())
            n_removed = min(new.size - n, max(n_rare, math.ceil(self._settings.shrink * new.size)))
            removed = new[order[new.size - n_removed :]]
        scores = dict(zip([texts[row] for row in state.rows.tolist()], state.log_prob.tolist(), strict=True))
        best = [texts[state.rows[t]] for t in new[order[saved[order] > 0]].tolist()]
        old_scores = dict(old.of_text) if keeps else {text: scores.get(text, log_prob[-1]) for text in old.of_text}
        return Estimated({text: max(scores[text], old.least) if keeps else scores[text] for text in best}, old_scores)

    def _texts(self) -> list[str]:
        """The text of every row; bytes above ASCII as `<0xEC>`."""
        blob, ptr = self._seed.blob.tobytes(), self._seed.ptr.tolist()
        return [blob[begin:end].decode(errors="hex_tokens") for begin, end in pairwise(ptr)]

    def _saved(self, state: _State, new: np.ndarray) -> np.ndarray:
        """Tokens that each of the tokens `new` saves in the best segmentations (float64[n_new])."""
        fallback = self._fallback(state)
        log_weight = _log_weight(state, fallback)
        uses = fold_viterbi(self._best_uses(log_weight), state.rows.size, self._spans, fallback)
        is_wanted = np.zeros(uses.size, dtype=bool)
        is_wanted[new] = uses[new] > 0
        pieces = self._pieces(state, is_wanted, log_weight, fallback)
        saved: np.ndarray = uses[new] * np.maximum(np.diff(pieces.ptr)[new] - 1, 0)
        return saved
