"""The most key types of one sub-corpus against another, a row each, with their dispersion."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.measure.corpus_units import CorpusUnits
from engine.measure.dispersion import N_PARTS, dispersion
from engine.measure.keyness import MIN_COUNT, Keyness, keyness
from engine.tokenizer import Tokenizer

Compared = tuple[Sequence[int], Sequence[int]]  # indices of the files of two sub-corpora


def not_the_same(units: CorpusUnits, first: Sequence[int], second: Sequence[int]) -> None:
    """InputError if two sub-corpora share a file, or consist of the same units in the same order."""
    if shared := set(first) & set(second):
        raise InputError("keyness.shared", name=units.files.names[min(shared)])
    own = units.ids_of(first)
    if own.size and np.array_equal(own, units.ids_of(second)):
        raise InputError("keyness.same")


def find_keys(
    units: CorpusUnits,
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
    units: CorpusUnits, found: Keyness, compared: Compared, types: np.ndarray, n_parts: int = N_PARTS
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
    units: CorpusUnits, found: Keyness, compared: Compared, types: np.ndarray, n_parts: int
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


def labels_of(units: CorpusUnits, types: Sequence[int], tokenizer: Tokenizer | None) -> list[str]:
    """What types are called: tokens as everywhere, words and morphemes as they are."""
    if tokenizer is not None:
        return [tokenizer.token_label(i) for i in types]
    assert units.units.types is not None
    return [units.units.types[i] for i in types]
