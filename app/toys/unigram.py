"""The Unigram LM as taught in a lesson (Kudo 2018, simplified): estimate, segment, remove the least useful token.

The loss is the Viterbi loss: minus the log probability of every word's best segmentation, times its count, in nats.
It is recomputed exactly without each token in turn, which only a small corpus allows.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.errors import InputError

# A word of n characters has up to 2^(n - 1) segmentations.
_MAX_LISTED = 12

_TIE = 1e-12

# log P of the textbook's Viterbi example (nats); they are given, not counted, and do not add up to 1.
TEXTBOOK = {
    "c": -2.5,
    "a": -2.3,
    "t": -2.4,
    "s": -2.6,
    "ca": -1.8,
    "cat": -1.2,
    "cats": -3.0,
    "at": -1.9,
    "ats": -2.1,
    "ts": -2.0,
}

# Least expected count of a single character while tokens are removed. EM may take all probability from a character
# whose words are tokens; when such a token goes, its word must still be writable.
_LEAST_COUNT = 1e-3


class ToyCandidate(NamedTuple):
    """One path to a position: the last token, where it begins, its log probability, and that of the whole path."""

    begin: int
    token: str
    log_prob: float
    total: float


class ToyCell(NamedTuple):
    """Best path to position `end` of a word: the candidates by begin, the best, and all that tie with it.

    Ties go to the earliest begin, as in `sentencepiece` and `tokenizers`.
    """

    end: int
    candidates: tuple[ToyCandidate, ...]
    best: ToyCandidate | None
    ties: tuple[ToyCandidate, ...]


class ToySegmentation(NamedTuple):
    """Tokens of a word and their joint probability."""

    tokens: tuple[str, ...]
    prob: float


class UnigramStep(NamedTuple):
    """One round.

    Attributes
    ----------
    number : from 0.
    prob : probability of every token in the vocabulary.
    segmentations : best segmentation of every word.
    loss : Viterbi loss of the corpus, nats.
    increase : increase of the loss without the token, nats; single characters are always kept and not listed.
    removed : tokens removed at the end of the round; empty in the last.
    """

    number: int
    prob: dict[str, float]
    segmentations: dict[str, tuple[str, ...]]
    loss: float
    increase: dict[str, float]
    removed: tuple[str, ...]


def strict_substrings(words: Mapping[str, int]) -> dict[str, int]:
    """Every substring shorter than a word that contains it, and every character, with its occurrences.

    Ordered by word, then length, then position, as on the slides.
    """
    found = [
        word[begin : begin + length]
        for word in words
        for length in range(1, max(2, len(word)))
        for begin in range(len(word) - length + 1)
    ]
    return count_substrings(words, found)


def count_substrings(words: Mapping[str, int], tokens: Iterable[str]) -> dict[str, int]:
    """Occurrences of the tokens, and of all single characters, as substrings of the words (overlaps count).

    Turns a BPE vocabulary into a base vocabulary. Tokens that do not occur are left out.
    """
    counts = dict.fromkeys([*tokens, *(c for word in words for c in word)], 0)
    for word, count in words.items():
        for begin in range(len(word)):
            for end in range(begin + 1, len(word) + 1):
                if word[begin:end] in counts:
                    counts[word[begin:end]] += count
    return {token: count for token, count in counts.items() if count}


def probabilities(counts: Mapping[str, float]) -> dict[str, float]:
    total = sum(counts.values())
    return {token: count / total for token, count in counts.items()}


def viterbi_cells(word: str, prob: Mapping[str, float], without: str = "") -> list[ToyCell]:
    """The table of the Viterbi algorithm: one cell for each position from 1 to len(word).

    Parameters
    ----------
    prob : probability of every token.
    without : a token to exclude.
    """
    best = [0.0] + [-math.inf] * len(word)
    cells = []
    for end in range(1, len(word) + 1):
        candidates = []
        for begin in range(end):
            token = word[begin:end]
            if token != without and prob.get(token, 0.0) > 0 and best[begin] > -math.inf:
                log_prob = math.log(prob[token])
                candidates.append(ToyCandidate(begin, token, log_prob, best[begin] + log_prob))
        top = max((candidate.total for candidate in candidates), default=-math.inf)
        ties = tuple(candidate for candidate in candidates if candidate.total >= top - _TIE)
        best[end] = ties[0].total if ties else -math.inf
        cells.append(ToyCell(end, tuple(candidates), ties[0] if ties else None, ties))
    return cells


def best_segmentation(word: str, prob: Mapping[str, float], without: str = "") -> tuple[tuple[str, ...], float]:
    """Tokens of the best segmentation and its log probability; no tokens and -inf if there is none.

    >>> best_segmentation("hug", {"h": 0.1, "u": 0.1, "g": 0.1, "hu": 0.3, "ug": 0.2})[0]
    ('hu', 'g')
    """
    cells = viterbi_cells(word, prob, without)
    tokens: list[str] = []
    end = len(word)
    while end > 0:
        best = cells[end - 1].best
        if best is None:
            return (), -math.inf
        tokens.append(best.token)
        end = best.begin
    last = cells[-1].best if cells else None
    return tuple(reversed(tokens)), last.total if last else 0.0


def all_segmentations(word: str, prob: Mapping[str, float]) -> list[ToySegmentation]:
    """Every segmentation with its probability, best first; ties go to the longer last token.

    Raises
    ------
    InputError : the word is longer than 12 characters, so it may have more than 2,048 segmentations.
    """
    if len(word) > _MAX_LISTED:
        raise InputError("toy.long_list", word=word, most=_MAX_LISTED)
    found: list[list[ToySegmentation]] = [[ToySegmentation((), 1.0)]]
    for end in range(1, len(word) + 1):
        found.append(
            [
                ToySegmentation((*head.tokens, word[begin:end]), head.prob * prob[word[begin:end]])
                for begin in range(end)
                if word[begin:end] in prob
                for head in found[begin]
            ]
        )
    return sorted(found[-1], key=lambda segmentation: -segmentation.prob)


def corpus_loss(words: Mapping[str, int], prob: Mapping[str, float]) -> float:
    """Viterbi loss of the corpus, nats; infinite if a word has no segmentation."""
    return 0.0 - sum(count * best_segmentation(word, prob)[1] for word, count in words.items())  # never -0.0


def leave_one_out(words: Mapping[str, int], prob: Mapping[str, float]) -> dict[str, float]:
    """Increase of the loss without each token of two or more characters (nats, never negative).

    The other probabilities are not renormalised, so removing a token can only make the corpus less likely.
    """
    best = {word: best_segmentation(word, prob) for word in words}
    return {
        token: sum(
            count * (best[word][1] - best_segmentation(word, prob, without=token)[1])
            for word, count in words.items()
            if token in best[word][0]
        )
        for token in prob
        if len(token) > 1
    }


class EmStep(NamedTuple):
    """One iteration of expectation maximisation: expected counts, new probabilities, log likelihood before it."""

    expected: dict[str, float]
    prob: dict[str, float]
    log_likelihood: float


def em_step(words: Mapping[str, int], prob: Mapping[str, float]) -> EmStep:
    """Expected counts of the tokens over all segmentations, and the resulting probabilities.

    The log likelihood sums over all segmentations of a word; it never decreases from one step to the next.
    """
    expected = dict.fromkeys(prob, 0.0)
    log_likelihood = 0.0
    for word, count in words.items():
        n = len(word)
        arcs = [
            (i, j, math.log(prob[word[i:j]]))
            for i in range(n)
            for j in range(i + 1, n + 1)
            if prob.get(word[i:j], 0.0) > 0
        ]
        forward = [0.0] + [-math.inf] * n
        for i, j, log_prob in sorted(arcs, key=lambda arc: arc[1]):
            forward[j] = _log_add(forward[j], forward[i] + log_prob)
        backward = [-math.inf] * n + [0.0]
        for i, j, log_prob in sorted(arcs, key=lambda arc: -arc[0]):
            backward[i] = _log_add(backward[i], log_prob + backward[j])
        if forward[n] == -math.inf:
            raise InputError("toy.unwritable", word=word)
        log_likelihood += count * forward[n]
        for i, j, log_prob in arcs:
            expected[word[i:j]] += count * math.exp(forward[i] + log_prob + backward[j] - forward[n])
    return EmStep(expected, probabilities(expected), log_likelihood)


def _log_add(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def unigram_steps(
    words: Mapping[str, int],
    counts: Mapping[str, int],
    target_size: int,
    share: float | None = None,
    em_iterations: int = 0,
) -> Iterator[UnigramStep]:
    """Yield the rounds of a training, from the base vocabulary down to `target_size` tokens.

    Parameters
    ----------
    words : the corpus.
    counts : the base vocabulary with its frequencies; it must contain all single characters.
    target_size : size of the final vocabulary, single characters included.
    share : fraction of the tokens of two or more characters to remove per round; None: one token per round.
    em_iterations : EM steps per round; 0: probabilities are the frequencies of the remaining tokens, as in the lesson.

    Notes
    -----
    Tokens are removed by smallest increase of the loss; ties are broken by frequency (rarer first), then by text.
    After EM every single character keeps at least a thousandth of an occurrence, so every word has a segmentation in
    every round.

    Raises
    ------
    InputError : the target is below the number of single characters, or the share is not between 0 and 1.
    """
    n_single = sum(len(token) == 1 for token in counts)
    if target_size < n_single:
        raise InputError("toy.target", target_size=target_size, n_single=n_single)
    if share is not None and not 0 < share < 1:
        raise InputError("toy.share", share=share)
    return _rounds(words, counts, target_size, share, em_iterations)


def _rounds(
    words: Mapping[str, int], counts: Mapping[str, int], target_size: int, share: float | None, em_iterations: int
) -> Iterator[UnigramStep]:
    prob = probabilities(counts)
    number = 0
    while True:
        for _ in range(em_iterations):
            expected = em_step(words, prob).expected
            prob = probabilities(
                {token: max(count, _LEAST_COUNT) if len(token) == 1 else count for token, count in expected.items()}
            )
        increase = leave_one_out(words, prob)
        n = max(1, int(len(increase) * share)) if share else 1
        order = sorted(increase, key=lambda token: (round(increase[token], 9), counts[token], token))
        removed = order[: max(0, min(n, len(prob) - target_size))]
        segmentations = {word: best_segmentation(word, prob)[0] for word in words}
        yield UnigramStep(number, prob, segmentations, corpus_loss(words, prob), increase, tuple(removed))
        if not removed:
            return
        number += 1
        source = prob if em_iterations else counts
        prob = probabilities({token: source[token] for token in prob if token not in removed})
