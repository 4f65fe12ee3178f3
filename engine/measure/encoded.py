"""Lines encoded by one tokenizer as flat arrays: encoded once, measured many times."""

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from engine.corpus.normalize import JAMO, normalized
from engine.measure.words import graphemes
from engine.tokenizer import Tokenizer


class EncodedLines(NamedTuple):
    """Every line encoded as a whole; line ends are neither text nor tokens.

    Byte offsets run through all lines, concatenated without line ends.

    Attributes
    ----------
    tokenizer : the tokenizer.
    lines : the original text, used to count characters, graphemes and bytes.
    seen : the text in the tokenizer's normal form (the original for jamo); offsets and words refer to it.
    ids : int64[n_tokens].
    begin, end : int64[n_tokens], byte offsets of every token, ascending.
    token_ptr : int64[n_lines + 1], the tokens of each line.
    """

    tokenizer: Tokenizer
    lines: list[str]
    seen: list[str]
    ids: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    token_ptr: np.ndarray

    @property
    def n_tokens(self) -> int:
        """Number of tokens in all lines."""
        return int(self.ids.size)

    @property
    def per_line(self) -> np.ndarray:
        """int64[n_lines], number of tokens in every line."""
        return np.diff(self.token_ptr)

    def counts(self) -> np.ndarray:
        """int64[vocab_size]: how often each token occurs, c(t)."""
        return np.bincount(self.ids, minlength=self.tokenizer.vocab_size)


def encode_lines(tokenizer: Tokenizer, lines: Sequence[str], threads: int = 1) -> EncodedLines:
    """Encode every line as a whole, never word by word, which would lose tokens that span several words.

    >>> from engine import TrainingSettings, train
    >>> tokenizer = train(["가나 다라"], TrainingSettings(algorithm="characters", vocab_size=6))
    >>> encoded = encode_lines(tokenizer, ["가나 다라", "다라"])
    >>> encoded.n_tokens, encoded.per_line.tolist()
    (7, [5, 2])
    """
    seen = list(seen_text(tokenizer, lines))
    batch = tokenizer.encode_lines(seen, threads)
    end = np.cumsum(batch.size)
    # A line begins where its text does, even if the tokenizer dropped what was before it.
    sizes = np.fromiter(map(len, map(str.encode, seen, repeat("utf-8"), repeat("surrogatepass"))), np.int64, len(seen))
    given = np.append(0, end)[batch.line_ptr[:-1]]
    end += np.repeat(np.cumsum(sizes) - sizes - given, np.diff(batch.line_ptr))
    return EncodedLines(tokenizer, list(lines), seen, batch.ids.astype(np.int64), end - batch.size, end, batch.line_ptr)


def seen_text(tokenizer: Tokenizer, lines: Sequence[str]) -> Sequence[str]:
    """The lines in the tokenizer's normal form (as given for jamo), to which its offsets refer."""
    return lines if tokenizer.normalization == JAMO else normalized(lines, tokenizer.normalization)


def n_bytes(line: str) -> int:
    """Bytes of a line in UTF-8; a lone surrogate has three."""
    return len(line.encode("utf-8", "surrogatepass"))


def units_per_line(lines: Sequence[str], unit: str) -> np.ndarray:
    """int64[n_lines]: `characters` (code points), `graphemes` or `bytes` (UTF-8) of every line.

    >>> units_per_line(["한국어", "abc"], "bytes").tolist()
    [9, 3]
    """
    size = {"characters": len, "graphemes": lambda line: len(graphemes(line)), "bytes": n_bytes}[unit]
    return np.array([size(line) for line in lines], dtype=np.int64)
