"""The vocabulary of one round, ready for inference: a trie, log probabilities, and the bytes beneath."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from engine._jit import kernel
from engine.config import N_BYTES
from engine.corpus.pretokenize import Pretokenizer, to_codes
from engine.unigram.fallback import Fallback, FallbackSpans, build_fallback, fallback_spans
from engine.unigram.likelihood import _write_fallback
from engine.unigram.trie import Trie, _child, build_trie


class Vocabulary:
    """Tokens with log probabilities; immutable.

    Parameters
    ----------
    tokens : bytes of every token; the first 256 are the single bytes.
    log_prob : float64[n_tokens], natural logarithms.
    pretokenizer : no token crosses its boundaries.
    partial_characters : a character's bytes compete with its token (see `fallback`).
    """

    def __init__(
        self, tokens: list[bytes], log_prob: np.ndarray, pretokenizer: Pretokenizer, partial_characters: bool
    ) -> None:
        self.tokens = tokens
        self.log_prob = log_prob
        self.pretokenizer = pretokenizer
        self.partial_characters = partial_characters
        self._runs: dict[bytes, int] = {}
        texts: list[str] = [chr(byte) for byte in range(0x80)]
        numbers = list(range(0x80))
        for number in range(N_BYTES, len(tokens)):
            try:
                texts.append(tokens[number].decode())
                numbers.append(number)
            except UnicodeDecodeError:
                self._runs[tokens[number]] = number
        self.trie: Trie = build_trie(texts, np.array(numbers, dtype=np.int32))

    @cached_property
    def number(self) -> Mapping[bytes, int]:
        """Number of every token by its bytes."""
        return {token: number for number, token in enumerate(self.tokens)}

    def fallbacks(self, codes: np.ndarray) -> tuple[np.ndarray, FallbackSpans, Fallback]:
        """Fallbacks of the characters of a text that are more than one byte.

        Returns
        -------
        alphabet : int32[n_alphabet], these characters, ascending.
        spans, fallback : what each is written with, in the order of `alphabet`.
        """
        alphabet = np.unique(codes)
        alphabet = alphabet[alphabet >= 0x80]
        spans = fallback_spans(alphabet, self._runs)
        return alphabet, spans, build_fallback(spans, self.log_prob)

    def encode(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Best segmentation of each pre-token of one line (ties: the earliest start).

        Returns
        -------
        numbers : int32[n], tokens; bytes where a character is no token.
        ends : int64[n], where each ends in the UTF-8 bytes of the text.
        """
        codes = to_codes(text)
        alphabet, spans, fallback = self.fallbacks(codes)
        bounds = self.pretokenizer.boundaries(codes)
        return _encode(
            codes, bounds, *self.trie, self.log_prob, alphabet, fallback.log_prob_best, self.partial_characters,
            spans.n_bytes, spans.token, fallback.best_cuts,
        )  # fmt: skip


@kernel
def _encode(
    codes, bounds, keys, children, node_token, log_prob, alphabet, fallback_log_prob, always_fall_back,
    n_bytes, span_token, best_cuts,
):  # fmt: skip
    n = codes.size
    best = np.empty(n + 1)
    begin_of = np.empty(n + 1, dtype=np.int64)
    token_of = np.empty(n + 1, dtype=np.int32)  # -1 - k: fallback of character k of the alphabet
    numbers = np.empty(4 * n, dtype=np.int32)
    ends = np.empty(4 * n, dtype=np.int64)
    reversed_path = np.empty(n + 1, dtype=np.int64)
    n_out = 0
    at = 0
    for b in range(bounds.size - 1):
        lo, hi = bounds[b], bounds[b + 1]
        best[lo] = 0.0
        best[lo + 1 : hi + 1] = -np.inf
        for u in range(lo, hi):
            node = 0
            single = False
            for v in range(u + 1, hi + 1):
                node = _child(keys, children, node, codes[v - 1])
                if node < 0:
                    break
                t = node_token[node]
                if t >= 0:
                    single = single or v == u + 1
                    total = best[u] + log_prob[t]
                    if total > best[v]:
                        best[v] = total
                        begin_of[v] = u
                        token_of[v] = t
            if codes[u] >= 0x80 and (always_fall_back or not single):
                k = np.searchsorted(alphabet, codes[u])
                total = best[u] + fallback_log_prob[k]
                if total > best[u + 1]:
                    best[u + 1] = total
                    begin_of[u + 1] = u
                    token_of[u + 1] = -1 - k
        n_path = 0
        v = hi
        while v > lo:
            reversed_path[n_path] = v
            n_path += 1
            v = begin_of[v]
        for i in range(n_path - 1, -1, -1):
            v = reversed_path[i]
            t = token_of[v]
            if t >= 0:
                for j in range(begin_of[v], v):
                    c = codes[j]
                    at += 1 if c < 0x80 else (2 if c < 0x800 else (3 if c < 0x10000 else 4))
                numbers[n_out] = t
                ends[n_out] = at
                n_out += 1
            else:
                first = n_out
                n_out = _write_fallback(-1 - t, n_bytes, span_token, best_cuts, numbers, n_out)
                begin = 0
                for i_byte in range(n_bytes[-1 - t]):
                    at += 1
                    last = i_byte == n_bytes[-1 - t] - 1
                    if last or (best_cuts[-1 - t] >> i_byte) & 1:
                        ends[first + begin] = at
                        begin += 1
    return numbers[:n_out].copy(), ends[:n_out].copy()
