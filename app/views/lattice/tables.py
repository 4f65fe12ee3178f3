"""What the lattice page shows of a lattice: bars for the picture, steps of the Viterbi table, and the table of arcs."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from app.components.lattice.data import LatticeData
from app.components.viterbi.data import ViterbiData
from app.texts.plain import visible_space
from engine.unigram.lattice import Lattice
from engine.unigram.model import Model


def lattice_data(
    model: Model, lattice: Lattice, number: int, entropies: Mapping[str, float], runner: Sequence[int],
    selected: int | None, least: float, unit: str, ui_lang: str,
) -> LatticeData:  # fmt: skip
    """The lattice of a round for the component; `entropies` are the branching entropies (nats) by label."""
    rows, ids = _rows_and_ids(model, lattice, number)
    return {
        "chars": list(lattice.text),
        "arcs": [
            {
                "b": int(lattice.begin[arc]),
                "e": int(lattice.end[arc]),
                "label": lattice.labels[arc],
                "m": float(lattice.marginal[arc]),
                "lp": float(lattice.log_prob[arc]),
                "be": None if rows[arc] == -1 else entropies.get(lattice.labels[arc]),
                "id": None if ids[arc] < 0 else int(ids[arc]),
                "best": bool(lattice.best[arc]),
                "row": int(rows[arc]),
            }
            for arc in range(lattice.begin.size)
        ],
        "selected": selected,
        "runner": runner,
        "min_marginal": least,
        "unit": unit,
        "lang": "ko",
        "ui_lang": ui_lang,
    }


def _rows_and_ids(model: Model, lattice: Lattice, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Row of the model and final id of every arc, -1 for fallbacks and for what is not in the final vocabulary.

    A token that a what-if added has the number -2: it is in no vocabulary, but it is no fallback either.
    """
    alive = model.alive_rows(number)
    known = lattice.number >= 0
    rows = np.where(lattice.number == -1, -1, alive.size + alive.max())
    rows[known] = alive[lattice.number[known]]
    ids = np.full(rows.size, -1)
    ids[known] = model.ids[rows[known]]
    return rows, ids


def viterbi_data(lattice: Lattice, unit: str, ui_lang: str) -> ViterbiData:
    """The Viterbi table of a lattice, cell by cell, for the component."""
    return {
        "chars": list(lattice.text),
        "arcs": [
            {"b": begin, "e": end, "label": label}
            for begin, end, label in zip(lattice.begin.tolist(), lattice.end.tolist(), lattice.labels, strict=True)
        ],
        "steps": [
            {
                "end": step.end,
                "best": step.best,
                "candidates": [
                    {"arc": c.arc, "before": c.before, "total": c.total, "winner": c.is_winner, "tie": c.is_tie}
                    for c in step.candidates
                ],
            }
            for step in lattice.viterbi_steps()
        ],
        "path": lattice.best_path,
        "unit": unit,
        "lang": "ko",
        "ui_lang": ui_lang,
    }


def arc_table(
    model: Model, lattice: Lattice, number: int, entropies: Mapping[str, float], scale: float
) -> pd.DataFrame:
    """All arcs; columns begin, end, token, id, log_prob, marginal, be, best. `scale`: units a nat."""
    _, ids = _rows_and_ids(model, lattice, number)
    be = [entropies.get(label, np.nan) * scale for label in lattice.labels]
    return pd.DataFrame(
        {
            "begin": lattice.begin,
            "end": lattice.end,
            "token": [visible_space(label) for label in lattice.labels],
            "id": pd.Series(ids, dtype="Int64").where(ids >= 0),
            "log_prob": lattice.log_prob * scale,
            "marginal": lattice.marginal,
            "be": np.where(lattice.number == -1, np.nan, be),
            "best": np.where(lattice.best, "★", ""),
        }
    )


def path_text(lattice: Lattice, path: Sequence[int]) -> str:
    """A segmentation as a line: its tokens with | between them."""
    return "|".join(visible_space(lattice.labels[arc]) for arc in path)
