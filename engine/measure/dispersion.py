"""Dispersion: how evenly a type is spread over the parts of a corpus.

DP is Gries' deviation of proportions (2008), DPnorm its normalised form (Lijffijt and Gries 2012), D that of Juilland
et al. (1970), over relative frequencies because parts differ in size; the range is the number of parts with the type.
"""

from typing import NamedTuple

import numpy as np

# Stretches of a corpus, where it has fewer files than this.
N_PARTS = 20


class Dispersion(NamedTuple):
    """Dispersion of types; arrays are [n_types], NaN for a type that does not occur.

    Attributes
    ----------
    dp : float64, 0 (as the sizes of the parts predict) to 1 (all in the smallest part, nearly).
    dp_norm : float64, dp / (1 - the share of the smallest part), so that 1 can be reached.
    juilland_d : float64, 1 (perfectly even) down to 0.
    range : int64, parts with the type.
    n_parts : parts that are not empty.
    """

    dp: np.ndarray
    dp_norm: np.ndarray
    juilland_d: np.ndarray
    range: np.ndarray
    n_parts: int


def dispersion(counts: np.ndarray, sizes: np.ndarray) -> Dispersion:
    """Dispersion of types over parts.

    Parameters
    ----------
    counts : int64[n_types, n_parts], occurrences.
    sizes : int64[n_parts], units of every part; empty parts are left out.

    Examples
    --------
    The letter a in the corpus of Gries (2008, table 2):

    >>> found = dispersion(np.array([[1, 2, 3, 4, 5]]), np.array([9, 10, 10, 10, 11]))
    >>> float(found.dp[0].round(3)), float(found.dp_norm[0].round(3)), float(found.juilland_d[0].round(3))
    (0.18, 0.22, 0.785)
    """
    filled = sizes > 0
    counts, sizes = counts[:, filled], sizes[filled]
    n, share = sizes.size, sizes / max(1, sizes.sum())
    total = counts.sum(axis=1)
    smallest = share.min() if n else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        dp = 0.5 * np.abs(counts / total[:, None] - share).sum(axis=1)
        relative = counts / sizes
        variation = relative.std(axis=1) / relative.mean(axis=1)
        even = 1 - variation / np.sqrt(n - 1)
    nowhere = total == 0
    dp_norm = dp / (1 - smallest) if smallest < 1 else np.full(dp.size, np.nan)
    for values in (dp, dp_norm, even):
        values[nowhere] = np.nan
    return Dispersion(dp, dp_norm, even, (counts > 0).sum(axis=1), n)


def stretches(units_per_line: np.ndarray, n_parts: int = N_PARTS) -> np.ndarray:
    """int64[n_lines]: for every line, the part it belongs to when a corpus is divided into about equal stretches.

    A line belongs to the stretch that its middle is in, so a part may be empty where lines are long.

    >>> stretches(np.array([5, 5, 5, 5]), 2).tolist()
    [0, 0, 1, 1]
    """
    ends = np.cumsum(units_per_line)
    total = int(ends[-1]) if ends.size else 0
    middle = ends - units_per_line / 2
    return np.minimum(middle * n_parts // max(1, total), n_parts - 1).astype(np.int64)
