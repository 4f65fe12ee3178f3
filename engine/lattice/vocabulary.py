"""The vocabulary of one round, for inference: a trie, log probabilities and byte fallbacks."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from engine.config import N_BYTES
from engine.corpus.arrays import CutLines, cut_lines
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes
from engine.lattice.encoding import _encode, _spread
from engine.lattice.fallback import Fallback, FallbackSpans, build_fallback, fallback_spans
from engine.machine.threads import ragged_in_threads
from engine.vocabulary.trie import ReversedTrie, Trie, build_reversed_trie, build_trie


class Vocabulary:
    """Tokens with log probabilities; immutable.

    Parameters
    ----------
    tokens : bytes of each token; the first 256 are the single bytes.
    log_prob : float64[n_tokens], natural logarithms.
    pretokenizer : no token crosses its boundaries.
    partial_characters : whether a character's bytes compete with its token (see `fallback`).
    """

    def __init__(
        self, tokens: list[bytes], log_prob: np.ndarray, pretokenizer: Pretokenizer, partial_characters: bool
    ) -> None:
        self.tokens = tokens
        self.log_prob = log_prob
        self.pretokenizer = pretokenizer
        self.partial_characters = partial_characters
        self._runs: dict[bytes, int] = {}
        self._texts: list[str] = [chr(byte) for byte in range(0x80)]
        numbers = list(range(0x80))
        for number in range(N_BYTES, len(tokens)):
            try:
                self._texts.append(tokens[number].decode())
                numbers.append(number)
            except UnicodeDecodeError:
                self._runs[tokens[number]] = number
        self._numbers = np.array(numbers, dtype=np.int32)

    @cached_property
    def trie(self) -> Trie:
        """The tokens that are texts."""
        return build_trie(self._texts, self._numbers)

    @cached_property
    def reversed_trie(self) -> ReversedTrie:
        """The same, read from their ends."""
        return build_reversed_trie(self._texts, self._numbers)

    @cached_property
    def number(self) -> Mapping[bytes, int]:
        """Numbers of the tokens by their bytes."""
        return {token: number for number, token in enumerate(self.tokens)}

    @cached_property
    def sizes(self) -> np.ndarray:
        """int64[n_tokens]: length of each token in bytes."""
        return np.array([len(token) for token in self.tokens], dtype=np.int64)

    def fallbacks(self, codes: np.ndarray) -> tuple[np.ndarray, FallbackSpans, Fallback]:
        """Fallbacks of the multi-byte characters of a text.

        Returns
        -------
        alphabet : int32[n_alphabet], these characters, ascending.
        spans, fallback : their byte tokens, in the order of `alphabet`.
        """
        return self._fallbacks(np.unique(codes))

    def _fallbacks(self, alphabet: np.ndarray) -> tuple[np.ndarray, FallbackSpans, Fallback]:
        alphabet = alphabet[alphabet >= 0x80]
        spans = fallback_spans(alphabet, self._runs)
        return alphabet, spans, build_fallback(spans, self.log_prob)

    def encode(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Best segmentation of one line (ties go to the earliest start).

        Returns
        -------
        numbers : int32[n], tokens; bytes if a character is not a token.
        ends : int64[n], end offsets in the UTF-8 bytes of the text.
        """
        codes = to_codes(text)
        bounds = self.pretokenizer.boundaries(codes)
        numbers, _ = self._encoder(codes, np.unique(codes))(bounds[:-1], bounds[1:])
        return numbers, np.cumsum(self.sizes[numbers])

    def encode_lines(self, lines: Sequence[str], threads: int = 1) -> tuple[np.ndarray, np.ndarray, CutLines]:
        """Best segmentations of many lines; each distinct pre-token is segmented once.

        Returns
        -------
        numbers : int32[n_tokens], the tokens of all lines, concatenated.
        ptr : int64[n_lines + 1], offsets of the lines in `numbers`.
        cut : the pre-tokens, with `n_tokens`.
        """
        cut = cut_lines(lines, self.pretokenizer, threads)
        codes, begin, end, distinct, line_ptr, _ = cut
        seen = np.zeros(0x110000, dtype=bool)
        seen[codes] = True
        encode = self._encoder(codes, np.flatnonzero(seen))
        words = ragged_in_threads(encode, begin, end, threads)
        return *_spread(*words, distinct, line_ptr), cut._replace(n_tokens=np.diff(words[1]))

    def _encoder(
        self, codes: np.ndarray, characters: np.ndarray
    ) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """A function that calls `_encode` with the begins and ends of pre-tokens in `codes`.

        `characters` are the distinct code points, ascending.
        """
        alphabet, spans, fallback = self._fallbacks(characters)
        index = np.zeros(int(alphabet.max(initial=0)) + 1, dtype=np.int32)
        index[alphabet] = np.arange(alphabet.size)

        def encode(begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return _encode(
                codes,
                begin,
                end,
                *self.reversed_trie,
                self.log_prob,
                fallback.log_prob_best,
                self.partial_characters,
                index,
                spans.n_bytes,
                spans.token,
                fallback.best_cuts,
            )

        return encode
