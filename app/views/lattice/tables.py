"""The data of the lattice page: bars for the figure, steps of the Viterbi table, and the table of arcs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.components.data import LatticeData, StripRow, StripToken, ViterbiData
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.plain import visible_space
from engine.hangul.jamo import letters
from engine.lattice.lattice import Lattice
from engine.measure.morphemes.analysis import Analysis
from engine.measure.morphemes.token_classes import CLASSES, CUT, NONE, token_classes
from engine.measure.words import byte_offsets
from engine.tokenizer import LatticeTokenizer, require_pruning


def lattice_in_round(
    model: LatticeTokenizer,
    text: str,
    number: int | None,
    forbid: Sequence[str] = (),
    add: Sequence[tuple[str, float]] = (),
    force: Sequence[tuple[int, int]] = (),
) -> Lattice:
    """The lattice of a text in a round; `number` is None for a model without rounds."""
    if number is None:
        return model.lattice(text, forbid=forbid, add=add, force=force)
    return require_pruning(model).lattice(text, number, forbid, add, force)


def lattice_data(
    lattice: Lattice, entropies: np.ndarray | None, runner: Sequence[int], selected: int | None, least: float, unit: str
) -> LatticeData:
    """A lattice for the component; `entropies` are those of `entropies_of`."""
    fewest = lattice.fewest_tokens()
    is_fallback = lattice.number == -1
    return {
        "chars": letters(lattice.text),
        "arcs": [
            {
                "b": int(lattice.begin[arc]),
                "e": int(lattice.end[arc]),
                "label": lattice.labels[arc],
                "m": float(lattice.marginal[arc]),
                "lp": float(lattice.log_prob[arc]),
                "be": None if entropies is None or np.isnan(entropies[arc]) else float(entropies[arc]),
                "id": None if lattice.ids[arc] < 0 else int(lattice.ids[arc]),
                "best": bool(lattice.best[arc]),
                "fallback": bool(is_fallback[arc]),
            }
            for arc in range(lattice.begin.size)
        ],
        "selected": selected,
        "runner": runner,
        "fewest": [] if fewest == lattice.best_path else fewest,
        "min_marginal": least,
        "unit": unit,
        "lang": TEXT_LANGUAGE,
    }


def viterbi_data(lattice: Lattice, unit: str) -> ViterbiData:
    """The Viterbi table of a lattice, cell by cell, for the component."""
    return {
        "chars": letters(lattice.text),
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
        "lang": TEXT_LANGUAGE,
    }


def arc_table(lattice: Lattice, entropies: np.ndarray | None, scale: float) -> pd.DataFrame:
    """All arcs; columns begin, end, token, id, log_prob, marginal, be (optional), best. `scale` : units per nat."""
    table = pd.DataFrame(
        {
            "begin": lattice.begin,
            "end": lattice.end,
            "token": [visible_space(label) for label in lattice.labels],
            "id": pd.Series(lattice.ids, dtype="Int64").where(lattice.ids >= 0),
            "log_prob": lattice.log_prob * scale,
            "marginal": lattice.marginal,
        }
    )
    if entropies is not None:
        table["be"] = entropies * scale
    return table.assign(best=np.where(lattice.best, "★", ""))


def path_text(lattice: Lattice, path: Sequence[int]) -> str:
    """A segmentation as one line: its tokens separated by |."""
    return "|".join(visible_space(lattice.labels[arc]) for arc in path)


def best_path_row(lattice: Lattice, name: str, classes: np.ndarray | None) -> StripRow:
    """The best segmentation as a row of a strip; `classes` (int8): its tokens' grammatical classes."""
    codes = [NONE] * len(lattice.best_path) if classes is None else classes.tolist()
    tokens: list[StripToken] = [
        {
            "label": lattice.labels[arc],
            "b": int(lattice.begin[arc]),
            "e": int(lattice.end[arc]),
            "hex": bool(lattice.number[arc] == -1),
            "ringed": False,
            "id": None if lattice.ids[arc] < 0 else int(lattice.ids[arc]),
            "kind": "fallback" if lattice.number[arc] == -1 else "",
            "token_class": "" if code == NONE else CLASSES[code],
        }
        for arc, code in zip(lattice.best_path, codes, strict=True)
    ]
    return {"name": name, "note": "", "tokens": tokens}


def path_classes(lattice: Lattice, analysis: Analysis) -> np.ndarray:
    """int8: the grammatical class of each arc of the best segmentation; bytes of one character cut it."""
    path, offsets = np.array(lattice.best_path, dtype=np.int64), byte_offsets(lattice.text)
    begin, end = offsets[lattice.begin[path]], offsets[lattice.end[path]]
    classes = token_classes(begin, end, analysis)
    is_bytes = (lattice.number[path] == -1) & (end - begin > 1) & (classes != NONE)
    return np.where(is_bytes, np.int8(CUT), classes)
