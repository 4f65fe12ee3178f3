"""Further views of a lattice: the best segmentations, the algorithm, samples, other segmentation methods."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.components.pictures import token_strip
from app.components.players import viterbi_stepper
from app.parts.choices import url_number, url_slider
from app.parts.data_table import download_csv
from app.parts.figures.base import Plot, arrange
from app.parts.figures.charts import bars, dots, single
from app.parts.figures.styles import Style
from app.parts.layout import render_figure
from app.parts.tables.segmentation import TextPart
from app.parts.tables.strips import strip_chars
from app.parts.tables.units import per_nat
from app.parts.tokens.morpheme_layer import (
    layer_of,
    render_about,
    render_analyses,
    render_layer_options,
    render_readings,
)
from app.session.models import ActiveLattice
from app.session.page_run import fragment
from app.session.url import UrlValue, whole_number
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import t
from app.views.lattice.tables import arc_table, best_path_row, path_classes, path_text, viterbi_data
from app.views.lattice.why import entropies_of, in_unit, show_table
from engine.lattice.lattice import Lattice
from engine.pictures.palette import BLUE, VERMILLION

_STEP, _STEP_OF = UrlValue("viterbi", "lattice.step", whole_number, str, 0), "lattice.step_of"


@fragment
def render_nbest(active: ActiveLattice, lattice: Lattice, unit: str) -> None:
    """The best segmentations and their probability mass."""
    k = url_slider("lattice.nbest", t("lattice.nbest.count"), 1, 50, 10)
    paths = lattice.nbest(k)
    posterior = pd.Series([path.posterior for path in paths])
    table = pd.DataFrame(
        {
            "segmentation": [path_text(lattice, path.arcs) for path in paths],
            "tokens": [lattice.n_tokens(path.arcs) for path in paths],
            "log_prob": [path.log_prob * per_nat(unit) for path in paths],
            "posterior": posterior,
            "cumulative": posterior.cumsum(),
        }
    )
    shown = show_table(table, unit)
    log_z = in_unit(lattice.log_z, unit)
    st.caption(t("lattice.nbest.caption", mass=f"{posterior.sum():.2%}", log_z=log_z, unit=t(f"figure.unit.{unit}")))
    _download(shown, "nbest", active)


@fragment
def render_steps(lattice: Lattice, unit: str, text: str) -> None:
    """The Viterbi algorithm, one step at a time."""
    st.caption(t("lattice.steps.caption"))
    _STEP.adopt()
    if st.session_state.setdefault(_STEP_OF, text) != text:
        st.session_state[_STEP_OF] = text
        _STEP.set(0)
    step = _STEP.value
    viterbi_stepper("lattice.steps", viterbi_data(lattice, unit), start=step, on_step=_STEP.set)
    _STEP.publish(step)


@fragment
def render_samples(active: ActiveLattice, lattice: Lattice, unit: str) -> None:
    """Sampled segmentations compared with their exact posteriors."""
    st.caption(t("lattice.samples.caption"))
    cells = st.columns(3)
    with cells[0]:
        temperature = url_slider("temperature", t("lattice.samples.temperature"), 0.1, 5.0, 1.0, 0.1)
    n = cells[1].select_slider(
        t("lattice.samples.count"),
        [10, 100, 1000, 5000],
        1000,
        key="draws",
        bind="query-params",
        persist_state="session",
    )
    with cells[2]:
        seed = url_number("seed", t("lattice.samples.seed"), 0, 10**6, 0, 1)
    draws = pd.Series(lattice.sample(n, temperature, seed)).value_counts()
    top = draws.head(12)
    table = pd.DataFrame(
        {
            "number": range(1, len(top) + 1),
            "segmentation": [path_text(lattice, path) for path in top.index],
            "observed": top.to_numpy() / n,
            "exact": [math.exp(lattice.path_log_prob(path) - lattice.log_z) for path in top.index],
        }
    )
    names = {name: t(f"lattice.column.{name}") for name in ("observed", "exact")}
    axes = (t("lattice.samples.share"), t("lattice.column.number"))
    figure = samples_figure(table, t("lattice.samples.figure"), names, axes)
    render_figure(figure, "lattice.samples", t("lattice.samples.figure"))
    _download(show_table(table, unit), "samples", active)


def render_methods(lattice: Lattice, unit: str) -> None:
    """Other segmentation methods on the same text."""
    st.caption(t("lattice.methods.caption"))
    ways = {"viterbi": lattice.best_path, "greedy": lattice.greedy(), "fewest": lattice.fewest_tokens()}
    table = pd.DataFrame(
        [
            (
                t(f"lattice.method.{name}"),
                path_text(lattice, path),
                lattice.n_tokens(path),
                lattice.path_log_prob(path) * per_nat(unit),
            )
            for name, path in ways.items()
        ],
        columns=["method", "segmentation", "tokens", "log_prob"],
    )
    show_table(table, unit)


def render_table(active: ActiveLattice, lattice: Lattice, number: int | None, unit: str) -> None:
    st.caption(t("lattice.table.note"))
    table = arc_table(lattice, entropies_of(active, lattice, number), per_nat(unit))
    _download(show_table(table, unit), "lattice", active)


def _download(table: pd.DataFrame, name: str, active: ActiveLattice) -> None:
    download_csv(name, lambda: table, t("lattice.download"), of=active)


def samples_figure(table: pd.DataFrame, title: str, names: Mapping[str, str], axes: tuple[str, str]) -> Plot:
    """Bars of `observed` and marks of `exact`, one row per segmentation, by number; the most frequent on top.

    Columns of the table: number (from 1), segmentation, observed, exact. `names` has labels for the last two.
    """
    table = table.assign(number=table["number"].astype(str))
    hover, text = "%{text}<br>%{x:.2%}<extra>%{fullData.name}</extra>", "segmentation"
    look = {"marker": {"color": BLUE}, "opacity": 0.6, "textposition": "none", "orientation": "h"}
    traces = bars(single(table, name=names["observed"]), "observed", "number", hover, text=text, **look)
    exact = single(table, Style(VERMILLION, "diamond"), names["exact"])
    traces += dots(exact, "exact", "number", hover, size=11, text=text, cliponaxis=False)
    xaxis = {"title": axes[0], "tickformat": "~%", "rangemode": "tozero", "nticks": 6}
    yaxis = {"title": axes[1], "autorange": "reversed", "type": "category"}
    return arrange(traces, title, 150 + 30 * max(3, len(table)), xaxis=xaxis, yaxis=yaxis)


def render_morphemes(lattice: Lattice) -> None:
    """The switch; the best path with the morphemes below it, and manual corrections."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="lattice.options"):
        options = render_layer_options()
    layer = options and layer_of("lattice", options, lattice.text)
    if not layer:
        return
    classes = path_classes(lattice, layer.analysis) if layer.options.by_class else None
    part = TextPart(0, len(lattice.best_path), 0, lattice.n)
    token_strip(
        "lattice.strip",
        [best_path_row(lattice, t("lattice.why.best"), classes), layer.row(part)],
        chars=strip_chars(lattice.text, part),
        show_help=False,
        lang=TEXT_LANGUAGE,
    )
    render_about(layer)
    render_readings("lattice", layer)
    render_analyses(layer)
