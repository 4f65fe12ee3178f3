"""Byte fallback: the arc of a character that is not a token is the sequence of its bytes.

Its probability is the product of the byte probabilities, and bytes are counted with multiplicity. With the setting
`partial_characters`, runs of bytes inside a character may also be tokens: the arc then represents all segmentations
of the character into such runs, its probability is their sum, and each run is counted by its posterior.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.exact_math import exp, log

_LONGEST = 4  # bytes of a character
_RUNS = 10  # contiguous runs of at most four bytes


def fallback_uses(partial_characters: bool) -> int:
    """Maximum number of distinct tokens in a fallback."""
    return _RUNS if partial_characters else _LONGEST


class FallbackSpans(NamedTuple):
    """The byte tokens inside each character of the alphabet.

    `token[k, i, j]` is the token of the bytes i..j-1 of character k, or -1; the whole character is excluded.
    """

    n_bytes: np.ndarray  # int64[n_alphabet]
    token: np.ndarray  # int32[n_alphabet, 4, 5]


class Fallback(NamedTuple):
    """Statistics of one use of each character's fallback arc.

    Character k uses token `token[k, s]` (-1: unused slot) `expected[k, s]` times on average, and at least once with
    probability `inclusion[k, s]`.
    """

    log_prob: np.ndarray  # float64[n_alphabet], log of the sum over all segmentations into bytes (for EM)
    log_prob_best: np.ndarray  # float64[n_alphabet], log probability of the best one (for Viterbi)
    best_cuts: np.ndarray  # uint8[n_alphabet], bit i set: the best one has a boundary after byte i
    token: np.ndarray  # int32[n_alphabet, 10]
    expected: np.ndarray  # float64[n_alphabet, 10]
    inclusion: np.ndarray  # float64[n_alphabet, 10]


def fallback_spans(alphabet: np.ndarray, runs: dict[bytes, int]) -> FallbackSpans:
    """Spans of each character of the alphabet (int32 code points above 0x7F).

    `runs` are the tokens that are multi-byte runs inside a character; empty without `partial_characters`.
    """
    n_bytes = np.empty(alphabet.size, dtype=np.int64)
    token = np.full((alphabet.size, _LONGEST, _LONGEST + 1), -1, dtype=np.int32)
    for k, code in enumerate(alphabet.tolist()):
        encoded = chr(code).encode()
        n_bytes[k] = len(encoded)
        for i, byte in enumerate(encoded):
            token[k, i, i + 1] = byte
        if runs:
            for i in range(len(encoded)):
                for j in range(i + 2, len(encoded) + 1):
                    if (i, j) != (0, len(encoded)):
                        token[k, i, j] = runs.get(encoded[i:j], -1)
    return FallbackSpans(n_bytes, token)


@subkernel
def _add_ways(k, n, shift, span_token, log_prob, total, best, best_cuts, token, expected, inclusion):
    """Sum over all segmentations of character k, each scaled by e^-shift; returns how many distinct tokens they use."""
    used = np.empty(_LONGEST, dtype=np.int32)
    n_slots = 0
    total[k] = 0.0
    best[k] = -np.inf
    # Bit i of `cuts` is a boundary after byte i. cuts = 0 is the whole character, which is not a fallback.
    for cuts in range(1, 1 << (n - 1)):
        lp = 0.0
        n_used = 0
        begin = 0
        for i in range(n):
            if i == n - 1 or (cuts >> i) & 1:
                t = span_token[k, begin, i + 1]
                lp = -np.inf if t < 0 else lp + log_prob[t]
                used[n_used] = t
                n_used += 1
                begin = i + 1
                if t < 0:
                    break
        if lp == -np.inf:
            continue
        weight = exp(lp - shift)
        total[k] += weight
        if lp > best[k]:
            best[k] = lp
            best_cuts[k] = cuts
        for a in range(n_used):
            slot = 0
            while slot < n_slots and token[k, slot] != used[a]:
                slot += 1
            if slot == n_slots:
                token[k, slot] = used[a]
                expected[k, slot] = 0.0
                inclusion[k, slot] = 0.0
                n_slots += 1
            expected[k, slot] += weight
            again = False
            for b in range(a):
                again = again or used[b] == used[a]
            if not again:
                inclusion[k, slot] += weight
    return n_slots


@kernel
def _fallback(n_bytes, span_token, log_prob, total, best, best_cuts, token, expected, inclusion):
    for k in range(n_bytes.size):
        n, shift = n_bytes[k], 0.0
        # Default if no segmentation has a finite probability: single bytes.
        best_cuts[k] = (1 << (n - 1)) - 1
        columns = (span_token, log_prob, total, best, best_cuts, token, expected, inclusion)
        n_slots = _add_ways(k, n, shift, *columns)
        if not 0.0 < total[k] < np.inf and np.isfinite(best[k]):
            # The sum over- or underflowed: repeat, relative to the best segmentation.
            shift = best[k]
            n_slots = _add_ways(k, n, shift, *columns)
        if total[k] > 0.0:
            for slot in range(n_slots):
                expected[k, slot] /= total[k]
                inclusion[k, slot] = min(1.0, inclusion[k, slot] / total[k])
            total[k] = log(total[k]) + shift
        else:
            total[k] = -np.inf


@kernel
def _write_fallback(k, n_bytes, span_token, best_cuts, path, n_path):
    """Append the tokens of the best segmentation of character k to `path`."""
    begin = 0
    for i in range(n_bytes[k]):
        if i == n_bytes[k] - 1 or (best_cuts[k] >> i) & 1:
            path[n_path] = span_token[k, begin, i + 1]
            n_path += 1
            begin = i + 1
    return n_path


def build_fallback(spans: FallbackSpans, log_prob: np.ndarray) -> Fallback:
    """Fallback of each character of the alphabet under the tokens' log probabilities (natural)."""
    n = spans.n_bytes.size
    fallback = Fallback(
        log_prob=np.empty(n),
        log_prob_best=np.empty(n),
        best_cuts=np.zeros(n, dtype=np.uint8),
        token=np.full((n, _RUNS), -1, dtype=np.int32),
        expected=np.zeros((n, _RUNS)),
        inclusion=np.zeros((n, _RUNS)),
    )
    _fallback(spans.n_bytes, spans.token, log_prob, *fallback)
    return fallback
