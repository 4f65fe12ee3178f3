"""The lattice figure, and why the best segmentation is best."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from app.components.pictures import lattice as lattice_picture
from app.parts.tables.units import per_nat
from app.parts.tokens.token_field import choose_token, token_link
from app.session.models import ActiveLattice
from app.session.url import UrlValue, whole_number
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.views.lattice.tables import lattice_data, path_text
from engine.lattice.lattice import Lattice
from engine.messages import number_text

_FORMATS = {
    "log_prob": "%.4f",
    "posterior": "%.4f",
    "cumulative": "%.4f",
    "marginal": "%.5f",
    "be": "%.3f",
    "observed": "%.4f",
    "exact": "%.4f",
}


def show_table(table: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Draw a table whose columns have the texts `lattice.column.<name>`; returns it with these headings, for a file."""
    titles = {str(name): t(f"lattice.column.{name}", unit=t(f"figure.unit.{unit}")) for name in table.columns}
    number = st.column_config.NumberColumn
    columns = {
        name: number(title, format=_FORMATS[name]) if name in _FORMATS else title for name, title in titles.items()
    }
    st.dataframe(table, hide_index=True, column_config=columns)
    return table.rename(columns=titles)


# The picked arc.
PICKED: UrlValue[int | None] = UrlValue("pick", "lattice.picked", partial(whole_number, n_digits=5), str, None)
# Marginals below which arcs may be hidden if there are many.
_LEAST = {"0": 0.0, "1e-6": 1e-6, "1e-4": 1e-4, "1e-3": 1e-3, "0.01": 0.01, "0.1": 0.1}
_MANY_ARCS = 120
_LEAST_KEY = "least"
LEAST = "1e-4"  # by default
# The ratio of scores in files of other programs may overflow a float.
_MOST_NATS = 690.0


def in_unit(value: float, unit: str) -> str:
    return f"{value * per_nat(unit):.3f}"


def entropies_of(active: ActiveLattice, lattice: Lattice, number: int | None) -> np.ndarray | None:
    """Branching entropy (float64[n_arcs], nats) of each arc's token in a round, NaN if it is not in the round.

    None if the model has no rounds.
    """
    pruned = active.model.pruning
    if pruned is None or number is None:
        return None
    be = pruned.history[number].branching_entropy
    is_known = (lattice.number >= 0) & (lattice.number < be.size)
    return np.where(is_known, be[np.where(is_known, lattice.number, 0)], np.nan)


def shown_least(lattice: Lattice, chosen: str) -> float:
    """The marginal below which arcs are hidden, by the code selected; 0 if there are few arcs."""
    return _LEAST.get(chosen, _LEAST[LEAST]) if lattice.begin.size > _MANY_ARCS else 0.0


def choose_least(lattice: Lattice) -> None:
    """The control of that marginal if there are many arcs."""
    if lattice.begin.size > _MANY_ARCS:
        st.select_slider(
            t("lattice.least"), list(_LEAST), LEAST, key=_LEAST_KEY, bind="query-params", persist_state="session"
        )


def render_view(
    lattice: Lattice, entropies: np.ndarray | None, unit: str, picked: int | None, on_pick: Callable[[int], None]
) -> None:
    runner = list(lattice.nbest(2)[1].arcs) if lattice.n_segmentations > 1 else []
    least = shown_least(lattice, st.session_state.get(_LEAST_KEY, LEAST))
    data = lattice_data(lattice, entropies, runner, picked, least, unit)
    lattice_picture("lattice.view", data, on_pick)


def render_why(lattice: Lattice, unit: str, picked: int | None, has_page: bool) -> None:
    """Why the best segmentation is best, and what would change the decision about the clicked bar."""
    st.subheader(t("lattice.why.heading"))
    paths = lattice.nbest(2)
    name = t(f"figure.unit.{unit}")
    rows = [(t("lattice.why.best"), paths[0])] + [(t("lattice.why.runner"), path) for path in paths[1:]]
    table = pd.DataFrame(
        {
            "which": [label for label, _ in rows],
            "segmentation": [path_text(lattice, path.arcs) for _, path in rows],
            "log_prob": [path.log_prob * per_nat(unit) for _, path in rows],
            "posterior": [path.posterior for _, path in rows],
        }
    )
    show_table(table, unit)
    if len(paths) < 2:
        st.markdown(t("lattice.why.only"))
    elif paths[0].log_prob == paths[1].log_prob:
        st.markdown(t("lattice.why.tie"))
    else:
        delta = paths[0].log_prob - paths[1].log_prob
        ratio = f"{math.exp(delta):,.2f}" if delta < _MOST_NATS else ">" + number_text(math.exp(_MOST_NATS), ".0e")
        st.markdown(t("lattice.why.difference", delta=in_unit(delta, unit), unit=name, ratio=ratio))
    if picked is None:
        st.caption(t("lattice.why.pick"))
        return
    _render_picked(lattice, picked, unit)
    if has_page and lattice.number[picked] >= 0:
        choose_token(token := visible_space(lattice.labels[picked]))
        token_link(token)


def _render_picked(lattice: Lattice, picked: int, unit: str) -> None:
    """The change that would flip the decision about one bar."""
    token = plain(visible_space(lattice.labels[picked]))
    name = t(f"figure.unit.{unit}")
    if lattice.best[picked]:
        other = lattice.best_avoiding(picked)
        if other is None:
            st.markdown(t("lattice.why.forced", token=token))
            return
        path, log_prob = other
        delta = lattice.best_log_prob - log_prob
        st.markdown(t("lattice.why.on_best", token=token, delta=in_unit(delta, unit), unit=name))
    else:
        path, log_prob = lattice.best_through(picked)
        delta = lattice.best_log_prob - log_prob
        # The token may occur in both paths more than once; only the difference counts.
        uses = sum(lattice.labels[arc] == lattice.labels[picked] for arc in path)
        uses -= sum(lattice.labels[arc] == lattice.labels[picked] for arc in lattice.best_path)
        each = in_unit(delta / uses, unit) if uses > 0 else "∞"
        st.markdown(t("lattice.why.off_best", token=token, delta=in_unit(delta, unit), unit=name, each=each))
    st.markdown(f"{t('lattice.why.alternative')}: {plain(path_text(lattice, path))}")
    with st.expander(t("lattice.why.arithmetic")):
        for way in (lattice.best_path, path):
            terms = " + ".join(f"({lattice.log_prob[arc] * per_nat(unit):.3f})" for arc in way)
            st.text(f"{path_text(lattice, way)}\n{terms} = {in_unit(lattice.path_log_prob(way), unit)}")
