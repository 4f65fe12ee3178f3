"""What the lattice page shows of a lattice: bars for the picture, and the table beside it."""

import math

import pandas as pd
import streamlit as st

from app.components.lattice_view import Arc
from app.text import visible_space
from engine.unigram.lattice import Lattice
from engine.unigram.model import Model


@st.cache_resource(max_entries=24, show_spinner=False)
def cached_entropies(_model: Model, _key: str, number: int) -> tuple[dict[str, float], dict[str, float]]:
    """P and BE of the tokens of a round, by label."""
    table = _model.round_table(number)
    return dict(zip(table["token"], table["p"], strict=True)), dict(zip(table["token"], table["be"], strict=True))


def shown_arcs(lattice: Lattice, runner: list[int], floor: float) -> list[int]:
    """Arcs to draw: those above the floor, and always the two best paths."""
    keep = {arc for arc in range(lattice.begin.size) if lattice.marginal[arc] >= floor}
    return sorted(keep | set(lattice.best_path) | set(runner))


def view_chars(lattice: Lattice) -> list[str]:
    """What to show for every code point: control characters by their number."""
    return [c if c == " " or c.isprintable() else f"{ord(c):04X}" for c in lattice.text]


def arcs_for_view(model: Model, lattice: Lattice, shown: list[int], number: int, unit: float) -> list[Arc]:
    """Bars for the component, with their numbers ready to be read."""
    entropies = cached_entropies(model, model.corpus_fingerprint + repr(model.settings), number)[1]
    arcs: list[Arc] = []
    for arc in shown:
        label = lattice.labels[arc]
        is_fallback = lattice.number[arc] == -1
        entropy = None if is_fallback else entropies.get(label)
        log_prob = float(lattice.log_prob[arc])
        arcs.append(
            {
                "b": int(lattice.begin[arc]),
                "e": int(lattice.end[arc]),
                "label": label.replace("<0x", "").replace(">", " ").strip() if is_fallback else label,
                "hex": is_fallback,
                "m": float(lattice.marginal[arc]),
                "p": f"{math.exp(log_prob):.3g}",
                "lp": f"{log_prob / unit:.3f}",
                "be": "–" if entropy is None else f"{entropy / unit:.3f}",
            }
        )
    return arcs


def arc_table(model: Model, lattice: Lattice, number: int, unit: float) -> pd.DataFrame:
    """All arcs; columns begin, end, token, id, log_prob, marginal, be, best."""
    entropies = cached_entropies(model, model.corpus_fingerprint + repr(model.settings), number)[1]
    rows = model.alive_rows(number)
    ids = [int(model.ids[rows[k]]) if k >= 0 else None for k in lattice.number.tolist()]
    return pd.DataFrame(
        {
            "begin": lattice.begin,
            "end": lattice.end,
            "token": [visible_space(label) for label in lattice.labels],
            "id": pd.array([None if value == -1 else value for value in ids], dtype="Int64"),
            "log_prob": lattice.log_prob / unit,
            "marginal": lattice.marginal,
            "be": [entropies[label] / unit if label in entropies else None for label in lattice.labels],
            "best": ["★" if best else "" for best in lattice.best],
        }
    )
