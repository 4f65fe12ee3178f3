"""Keyness: which types are more frequent in one corpus than in another, and how sure and how large the difference is.

G² is the log-likelihood ratio of Dunning (1993) in the form of Rayson and Garside (2000), with two cells per type; the
log ratio is Hardie's (2014), %DIFF that of Gabrielatos and Marchi (2012). Units are counted as if independent, though
words come in bursts: read keyness together with dispersion (`engine.measure.dispersion`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc
from typing import Any, Protocol

import numpy as np

from engine.corpus.files import CorpusFiles
from engine.errors import InputError
from engine.measure.best import holm
from engine.measure.dispersion import N_PARTS, dispersion
from engine.tokenizer import Tokenizer

MIN_COUNT = 5  # of a type in both corpora together
_Z = 1.959963984540054  # the central 95 % of a normal distribution
_LEAST = 0.5  # stands for a count of 0 in a log ratio, as in Hardie (2014)
_p_of_z = np.frompyfunc(lambda z: erfc(z / 2**0.5), 1, 1)


@dataclass(frozen=True)
class Keyness:
    """Types compared between two corpora; all arrays are [n_types].

    Attributes
    ----------
    count, against : int64, occurrences in the two corpora.
    total, total_against : units of the two corpora.
    direction : int8, 1 where the type is relatively more frequent in the first corpus, -1 in the second, 0 in neither.
    g2 : float64, log-likelihood ratio, at least 0; NaN, as all that follow, for a type below the minimum count.
    p : float64, of g2 (chi-squared, one degree of freedom); p_holm : corrected for all types with a g2 (Holm 1979).
    log_ratio : float64, binary logarithm of the ratio of relative frequencies; a count of 0 counts as 0.5, or as the
        count at the other corpus' frequency where that is less: its sign is the direction's.
    low, high : float64, its 95 % interval by the delta method (Katz et al. 1978).
    percent_diff : float64, 100 (f - f') / f' of relative frequencies; NaN if the type is not in the second corpus.
    """

    count: np.ndarray
    against: np.ndarray
    total: int
    total_against: int
    direction: np.ndarray
    g2: np.ndarray
    p: np.ndarray
    p_holm: np.ndarray
    log_ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    percent_diff: np.ndarray

    def ranked(self, direction: int = 0) -> np.ndarray:
        """int64: the types with a g2, the most key first; ties in order of frequency, then of the types.

        Parameters
        ----------
        direction : 1 or -1 for those that are more frequent in one corpus; 0 for all.
        """
        known = np.flatnonzero(~np.isnan(self.g2) & ((direction == 0) | (self.direction == direction)))
        both = self.count[known] + self.against[known]
        return known[np.lexsort((known, -both, -self.g2[known]))]


def keyness(count: np.ndarray, against: np.ndarray, min_count: int = MIN_COUNT) -> Keyness:
    """Compare the counts of types (int64[n_types]) in two corpora.

    Raises
    ------
    InputError : one of the corpora is empty.

    Examples
    --------
    >>> found = keyness(np.array([30, 70]), np.array([10, 90]))
    >>> found.g2.round(2).tolist(), found.log_ratio.round(2).tolist(), found.percent_diff.round(1).tolist()
    ([10.46, 2.51], [1.58, -0.36], [200.0, -22.2])
    """
    n, n_against = int(count.sum()), int(against.sum())
    if not n or not n_against:
        raise InputError("keyness.empty")
    tested = np.flatnonzero(count + against >= max(1, min_count))
    own, other = count[tested], against[tested]
    share, share_against = own / n, other / n_against
    g2 = _g2(own, other, n, n_against)
    p = _p_of_z(np.sqrt(g2)).astype(np.float64)
    log_ratio, half = _log_ratio(own, other, n, n_against)
    with np.errstate(divide="ignore"):
        percent = np.where(other > 0, 100 * (share / share_against - 1), np.nan)

    def spread(values: np.ndarray) -> np.ndarray:
        every = np.full(count.size, np.nan)
        every[tested] = values
        return every

    direction = np.zeros(count.size, dtype=np.int8)
    direction[tested] = np.sign(share - share_against)
    measures = (g2, p, np.array(holm(p.tolist())), log_ratio, log_ratio - half, log_ratio + half, percent)
    return Keyness(count, against, n, n_against, direction, *map(spread, measures))


def _g2(count: np.ndarray, against: np.ndarray, n: int, n_against: int) -> np.ndarray:
    """2 Σ O ln(O / E) over the two corpora, E in proportion to their sizes; an empty cell adds nothing."""
    both = count + against
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = [
            np.where(own > 0, own * np.log(own * ((n + n_against) / (both * size))), 0.0)
            for own, size in ((count, n), (against, n_against))
        ]
    return np.maximum(2 * (cells[0] + cells[1]), 0.0)


def _log_ratio(count: np.ndarray, against: np.ndarray, n: int, n_against: int) -> tuple[np.ndarray, np.ndarray]:
    """The log ratio, and half the width of its interval."""
    own = np.where(count > 0, count, np.minimum(_LEAST, against * (n / n_against)))
    other = np.where(against > 0, against, np.minimum(_LEAST, count * (n_against / n)))
    variance = 1 / own - 1 / n + 1 / other - 1 / n_against
    return np.log2((own / n) / (other / n_against)), _Z * np.sqrt(np.maximum(variance, 0)) / np.log(2)


Compared = tuple[Sequence[int], Sequence[int]]  # indices of the files of two sub-corpora


class ComparedUnits(Protocol):
    """The units of a corpus, wherever it is: the methods are those of CorpusUnits."""

    @property
    def files(self) -> CorpusFiles:
        """See CorpusUnits."""

    @property
    def types(self) -> tuple[str, ...] | None:
        """See CorpusUnits."""

    def counts(self, chosen: Sequence[int]) -> np.ndarray:
        """See CorpusUnits."""

    def are_same(self, first: Sequence[int], second: Sequence[int]) -> bool:
        """See CorpusUnits."""

    def parted(self, chosen: Sequence[int], types: np.ndarray, n_parts: int) -> tuple[np.ndarray, np.ndarray]:
        """See CorpusUnits."""


def not_the_same(units: ComparedUnits, first: Sequence[int], second: Sequence[int]) -> None:
    """InputError if two sub-corpora share a file, or consist of the same units in the same order."""
    if shared := set(first) & set(second):
        raise InputError("keyness.shared", name=units.files.names[min(shared)])
    if units.are_same(first, second):
        raise InputError("keyness.same")


def find_keys(
    units: ComparedUnits,
    compared: Compared,
    tokenizer: Tokenizer | None,
    min_count: int = MIN_COUNT,
    limit: int | None = None,
    n_parts: int = N_PARTS,
    direction: int = 0,
) -> tuple[Keyness, list[dict[str, Any]]]:
    """Compare two sub-corpora; a row of `key_rows` with its `label` for the first types of `Keyness.ranked`.

    Parameters
    ----------
    tokenizer : whose tokens are counted; None for words and morphemes.
    limit : of the rows; None: all that are frequent enough.

    Raises
    ------
    InputError : see `not_the_same`; or one of them is empty.
    """
    first, second = compared
    not_the_same(units, first, second)
    found = keyness(units.counts(first), units.counts(second), min_count)
    rows = key_rows(units, found, compared, found.ranked(direction)[:limit], n_parts)
    labels = labels_of(units, [row["type"] for row in rows], tokenizer)
    return found, [{"label": label, **row} for label, row in zip(labels, rows, strict=True)]


def key_rows(
    units: ComparedUnits, found: Keyness, compared: Compared, types: np.ndarray, n_parts: int = N_PARTS
) -> list[dict[str, Any]]:
    """A row for each of the types, as JSON values; NaN for what cannot be measured.

    Dispersion is measured where a type is relatively more frequent, over `n_parts` parts (`CorpusUnits.parted`).
    """
    spread = _spread(units, found, compared, types, n_parts)
    rows = []
    for k, i in enumerate(types.tolist()):
        rows.append(
            {
                "type": i,
                "count": int(found.count[i]),
                "against": int(found.against[i]),
                "per_million": float(1e6 * found.count[i] / found.total),
                "against_per_million": float(1e6 * found.against[i] / found.total_against),
                "g2": float(found.g2[i]),
                "direction": "-=+"[found.direction[i] + 1],
                "p": float(found.p[i]),
                "p_holm": float(found.p_holm[i]),
                "log_ratio": float(found.log_ratio[i]),
                "log_ratio_low": float(found.low[i]),
                "log_ratio_high": float(found.high[i]),
                "percent_diff": float(found.percent_diff[i]),
                **{name: values[k] for name, values in spread.items()},
            }
        )
    return rows


def _spread(
    units: ComparedUnits, found: Keyness, compared: Compared, types: np.ndarray, n_parts: int
) -> dict[str, list[float]]:
    """Measures of dispersion by name, a value for each of the types."""
    values: dict[str, list[float]] = {
        name: [float("nan")] * types.size for name in ("dp", "dp_norm", "juilland_d", "range", "n_parts")
    }
    for chosen, sign in zip(compared, (found.direction[types] >= 0, found.direction[types] < 0), strict=True):
        own = np.flatnonzero(sign)
        counts, sizes = units.parted(chosen, types[own], n_parts)
        measured = dispersion(counts, sizes)
        for name in ("dp", "dp_norm", "juilland_d", "range"):
            for k, value in zip(own.tolist(), getattr(measured, name).tolist(), strict=True):
                values[name][k] = value
        for k in own.tolist():
            values["n_parts"][k] = measured.n_parts
    return values


def labels_of(units: ComparedUnits, types: Sequence[int], tokenizer: Tokenizer | None) -> list[str]:
    """What types are called: tokens as everywhere, words and morphemes as they are."""
    if tokenizer is not None:
        return [tokenizer.token_label(i) for i in types]
    labels = units.types
    assert labels is not None
    return [labels[i] for i in types]
