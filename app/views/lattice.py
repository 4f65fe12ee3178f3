"""Lattice: all segmentations of one sentence, the best one, and why."""

import math

import pandas as pd
import streamlit as st

from app import state
from app.cached import cached_entropies
from app.components.choices import unit_choice
from app.components.lattice import LATTICE_LABELS
from app.components.lattice import lattice as lattice_picture
from app.components.problem import reason
from app.components.text_link import publish_text, unlink_text
from app.components.token_field import TOKEN
from app.components.viterbi import VITERBI_LABELS, viterbi_stepper
from app.figures.samples import samples_figure
from app.i18n import language, raw, t
from app.models import ActiveModel, active_model
from app.presets import PRESETS
from app.tables.lattice import arc_table, lattice_data, path_text, viterbi_data
from app.tables.units import per_nat
from app.text import plain, visible_space
from engine.errors import InputError
from engine.unigram.lattice import Lattice

_LIMIT = 400
_TEXT, _PICKED, _FORCED, _ROUND = "lattice.text", "lattice.picked", "lattice.forced", "in_round"


def _use_preset(name: str) -> None:
    st.session_state[_TEXT] = PRESETS[name]
    st.session_state[_FORCED] = []


def _sentence() -> str:
    """The sentence of the session, with the field and the examples to change it."""
    state.adopt("text", _TEXT, unlink_text)
    st.session_state.setdefault(_TEXT, PRESETS["sweet_potato"])
    typed = st.text_area(
        t("lattice.text"), key=_TEXT, height=80, help=t("lattice.text_help", limit=_LIMIT), persist_state="session"
    )
    publish_text("text", typed)
    text = typed.replace("\n", " ")
    with st.container(horizontal=True, key="lattice_presets"):
        for name, sentence in PRESETS.items():
            st.button(plain(sentence.split(".")[0][:18]), key=f"preset.{name}", on_click=_use_preset, args=(name,))
    for name, sentence in PRESETS.items():
        if text == sentence:
            st.caption(plain(t(f"lattice.preset.{name}")))
    if len(text) > _LIMIT:
        st.info(t("lattice.cut", n=len(text), limit=_LIMIT))
    return text[:_LIMIT]


def _round(active: ActiveModel) -> int:
    last = active.model.last_round
    if last == 0:
        return 0
    # The finished vocabulary is what a visitor wants to see first, so this is not the slider of the other pages.
    if st.session_state.get(_ROUND, last) > last:
        st.session_state[_ROUND] = last
    return int(
        st.slider(
            t("lattice.round"),
            0,
            last,
            last,
            key=_ROUND,
            help=t("lattice.round_help"),
            bind="query-params",
            persist_state="session",
        )
    )


def _number(value: float, unit: str) -> str:
    return f"{value * per_nat(unit):.3f}"


def _render_metrics(lattice: Lattice, unit: str) -> None:
    best = math.exp(lattice.best_log_prob - lattice.log_z)
    count = lattice.n_segmentations
    cells = st.columns(4)
    cells[0].metric(t("lattice.metric.tokens"), len(lattice.best_path))
    cells[1].metric(t("lattice.metric.posterior"), f"{best:.4f}")
    cells[2].metric(t("lattice.metric.entropy"), f"{_number(lattice.entropy, unit)} {t(f'figure.unit.{unit}')}")
    cells[3].metric(
        t("lattice.metric.segmentations"),
        f"{count:,}" if count < 10**7 else f"{count:.2e}" if count < 10**300 else ">1e300",
    )


@st.fragment
def _render_picture(active: ActiveModel, lattice: Lattice, number: int, unit: str) -> None:
    """The picture and what a click on a bar tells; a click runs nothing else."""
    _render_view(active, lattice, number, unit)
    _render_why(lattice, unit)


def _render_view(active: ActiveModel, lattice: Lattice, number: int, unit: str) -> None:
    runner = list(lattice.nbest(2)[1].arcs) if lattice.n_segmentations > 1 else []
    least = 0.0
    if lattice.begin.size > 120:
        least = st.select_slider(
            t("lattice.least"), [0.0, 1e-6, 1e-4, 1e-3, 0.01, 0.1], 1e-4, key="lattice.least", format_func="{:g}".format
        )
    entropies = cached_entropies(active.sha256, number, active.model)
    picked = st.session_state.get(_PICKED)
    data = lattice_data(active.model, lattice, number, entropies, runner, picked, least, unit, language())
    lattice_picture(
        "lattice.view",
        data,
        {name: raw(f"lattice.view.{name}") for name in LATTICE_LABELS},
        on_pick=lambda arc: st.session_state.__setitem__(_PICKED, arc),
    )


def _render_why(lattice: Lattice, unit: str) -> None:
    st.subheader(t("lattice.why.heading"))
    paths = lattice.nbest(2)
    name = t(f"figure.unit.{unit}")
    rows = [(t("lattice.why.best"), paths[0])] + [(t("lattice.why.runner"), path) for path in paths[1:]]
    table = pd.DataFrame(
        {
            " ": [label for label, _ in rows],
            t("lattice.column.segmentation"): [path_text(lattice, path.arcs) for _, path in rows],
            t("lattice.column.log_prob"): [path.log_prob * per_nat(unit) for _, path in rows],
            t("lattice.column.posterior"): [path.posterior for _, path in rows],
        }
    )
    st.dataframe(table, hide_index=True)
    if len(paths) < 2:
        st.markdown(t("lattice.why.only"))
    elif paths[0].log_prob == paths[1].log_prob:
        st.markdown(t("lattice.why.tie"))
    else:
        delta = paths[0].log_prob - paths[1].log_prob
        st.markdown(t("lattice.why.difference", delta=_number(delta, unit), unit=name, ratio=f"{math.exp(delta):,.2f}"))
    picked = st.session_state.get(_PICKED)
    if picked is None or picked >= lattice.begin.size:
        st.caption(t("lattice.why.pick"))
        return
    _render_picked(lattice, picked, unit)
    if lattice.number[picked] >= 0:
        st.session_state[TOKEN] = visible_space(lattice.labels[picked])
        st.page_link("views/token.py", label=t("token.open"), icon=":material/token:")


def _render_picked(lattice: Lattice, picked: int, unit: str) -> None:
    """What would flip the decision about one bar."""
    token = plain(visible_space(lattice.labels[picked]))
    name = t(f"figure.unit.{unit}")
    if lattice.best[picked]:
        other = lattice.best_avoiding(picked)
        if other is None:
            st.markdown(t("lattice.why.forced", token=token))
            return
        path, log_prob = other
        delta = lattice.best_log_prob - log_prob
        st.markdown(t("lattice.why.on_best", token=token, delta=_number(delta, unit), unit=name))
    else:
        path, log_prob = lattice.best_through(picked)
        delta = lattice.best_log_prob - log_prob
        # The token may stand in both paths more than once; only the difference counts.
        uses = sum(lattice.labels[arc] == lattice.labels[picked] for arc in path)
        uses -= sum(lattice.labels[arc] == lattice.labels[picked] for arc in lattice.best_path)
        each = _number(delta / uses, unit) if uses > 0 else "∞"
        st.markdown(t("lattice.why.off_best", token=token, delta=_number(delta, unit), unit=name, each=each))
    st.markdown(f"{t('lattice.why.alternative')}: {plain(path_text(lattice, path))}")
    with st.expander(t("lattice.why.arithmetic")):
        for way in (lattice.best_path, path):
            terms = " + ".join(f"({lattice.log_prob[arc] * per_nat(unit):.3f})" for arc in way)
            st.text(f"{path_text(lattice, way)}\n{terms} = {_number(lattice.path_log_prob(way), unit)}")


@st.fragment
def _render_nbest(lattice: Lattice, unit: str) -> None:
    k = st.slider(t("lattice.nbest.count"), 1, 50, 10, key="lattice.nbest", bind="query-params")
    paths = lattice.nbest(k)
    posterior = pd.Series([path.posterior for path in paths])
    table = pd.DataFrame(
        {
            t("lattice.column.segmentation"): [path_text(lattice, path.arcs) for path in paths],
            t("lattice.column.tokens"): [len(path.arcs) for path in paths],
            t("lattice.column.log_prob"): [path.log_prob * per_nat(unit) for path in paths],
            t("lattice.column.posterior"): posterior,
            t("lattice.column.cumulative"): posterior.cumsum(),
        }
    )
    st.dataframe(table, hide_index=True)
    log_z = _number(lattice.log_z, unit)
    st.caption(t("lattice.nbest.caption", mass=f"{posterior.sum():.2%}", log_z=log_z, unit=t(f"figure.unit.{unit}")))
    _download(table, "nbest")


def _render_steps(lattice: Lattice, unit: str) -> None:
    st.caption(t("lattice.steps.caption"))
    viterbi_stepper(
        "lattice.steps",
        viterbi_data(lattice, unit, language()),
        {name: raw(f"lattice.steps.{name}") for name in VITERBI_LABELS},
    )


@st.fragment
def _render_samples(lattice: Lattice) -> None:
    st.caption(t("lattice.samples.caption"))
    cells = st.columns(3)
    temperature = cells[0].slider(
        t("lattice.samples.temperature"), 0.1, 5.0, 1.0, 0.1, key="temperature", bind="query-params"
    )
    n = cells[1].select_slider(t("lattice.samples.count"), [10, 100, 1000, 5000], 1000, key="lattice.sample_count")
    seed = int(cells[2].number_input(t("lattice.samples.seed"), 0, 10**6, 0, key="lattice.seed"))
    draws = pd.Series(lattice.sample(n, temperature, seed)).value_counts()
    top = draws.head(12)
    table = pd.DataFrame(
        {
            "label": [path_text(lattice, path) for path in top.index],
            "observed": top.to_numpy() / n,
            "exact": [math.exp(lattice.path_log_prob(path) - lattice.log_z) for path in top.index],
        }
    )
    names = {"label": "segmentation", "observed": "observed", "exact": "exact"}
    titles = {column: t(f"lattice.column.{name}") for column, name in names.items()}
    figure = samples_figure(table, t("lattice.samples.figure"), titles["observed"], titles["exact"])
    st.plotly_chart(figure, key="lattice.samples", alt=t("lattice.samples.figure"))
    st.dataframe(table.rename(columns=titles), hide_index=True)
    _download(table.rename(columns=titles), "samples")


def _render_methods(lattice: Lattice, unit: str) -> None:
    st.caption(t("lattice.methods.caption"))
    ways = {"viterbi": lattice.best_path, "greedy": lattice.greedy(), "fewest": lattice.fewest_tokens()}
    table = pd.DataFrame(
        [
            (
                t(f"lattice.method.{name}"),
                path_text(lattice, path),
                len(path),
                lattice.path_log_prob(path) * per_nat(unit),
            )
            for name, path in ways.items()
        ],
        columns=[t(f"lattice.column.{name}") for name in ("method", "segmentation", "tokens", "log_prob")],
    )
    st.dataframe(table, hide_index=True)


def _download(table: pd.DataFrame, name: str) -> None:
    st.download_button(
        t("lattice.download"),
        lambda: table.to_csv(index=False).encode("utf-8-sig"),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"lattice.download.{name}",
        icon=":material/download:",
    )


def _render_what_if(lattice: Lattice) -> None:
    st.caption(t("lattice.whatif.caption"))
    labels = sorted({lattice.labels[arc] for arc in range(lattice.begin.size) if lattice.number[arc] >= 0})
    kept = [token for token in st.session_state.get("lattice.forbid", []) if token]
    st.multiselect(
        t("lattice.whatif.forbid"), sorted({*labels, *kept}), key="lattice.forbid", format_func=visible_space
    )
    left, right = st.columns([2, 1])
    left.text_input(t("lattice.whatif.add"), key="lattice.add", max_chars=60)
    right.number_input(t("lattice.whatif.add_log_prob"), -40.0, 0.0, -8.0, 0.5, key="lattice.add_log_prob")

    def force() -> None:
        picked = st.session_state.get(_PICKED)
        if picked is None or picked >= lattice.begin.size:
            st.toast(t("lattice.why.pick"))
        else:
            span = (int(lattice.begin[picked]), int(lattice.end[picked]))
            st.session_state[_FORCED] = [*st.session_state.get(_FORCED, []), span]
            st.session_state[_PICKED] = None

    def reset() -> None:
        st.session_state[_FORCED] = []
        st.session_state["lattice.forbid"] = []
        st.session_state["lattice.add"] = ""

    with st.container(horizontal=True):
        # What is picked changes without this part: whether there is anything to force is seen on the click.
        st.button(t("lattice.whatif.force"), on_click=force, key="lattice.force")
        st.button(t("lattice.whatif.reset"), on_click=reset, key="lattice.reset")


def _changed(active: ActiveModel, text: str, number: int) -> tuple[Lattice, bool]:
    """The lattice under the what-ifs, and whether there are any."""
    forbid = tuple(st.session_state.get("lattice.forbid", []))
    token = st.session_state.get("lattice.add", "")
    add = [(token, float(st.session_state.get("lattice.add_log_prob", -8.0)))] if token else []
    force = [span for span in st.session_state.get(_FORCED, []) if span[1] <= len(text)]
    try:
        return active.model.lattice(text, number, forbid, add, force), bool(forbid or add or force)
    except InputError as error:
        st.warning(plain(reason(error)))
        st.session_state[_FORCED] = []
        return active.model.lattice(text, number), False


active = active_model()
st.title(t("lattice.title"))
st.markdown(t("lattice.intro"))
text = _sentence()
left, right = st.columns([3, 1])
with left:
    number = _round(active)
with right:
    unit = unit_choice()
if not text:
    st.info(t("lattice.empty"))
    st.stop()
try:
    lattice, is_changed = _changed(active, text, number)
except InputError as error:
    st.error(plain(reason(error)))
    st.stop()
if is_changed:
    st.warning(t("lattice.whatif.active"), icon=":material/science:")
if st.session_state.get("lattice.shown") != (text, number, active.sha256, is_changed):
    st.session_state["lattice.shown"] = (text, number, active.sha256, is_changed)
    st.session_state[_PICKED] = None
_render_metrics(lattice, unit)
_render_picture(active, lattice, number, unit)
names = ("nbest", "whatif", "steps", "samples", "methods", "table")
tabs = dict(zip(names, st.tabs([t(f"lattice.tab.{name}") for name in names], key="lattice.tabs"), strict=True))
with tabs["nbest"]:
    _render_nbest(lattice, unit)
with tabs["whatif"]:
    _render_what_if(lattice)
with tabs["steps"]:
    _render_steps(lattice, unit)
with tabs["samples"]:
    _render_samples(lattice)
with tabs["methods"]:
    _render_methods(lattice, unit)
with tabs["table"]:
    st.caption(t("lattice.table.note"))
    entropies = cached_entropies(active.sha256, number, active.model)
    table = arc_table(active.model, lattice, number, entropies, per_nat(unit))
    table = table.rename(columns={name: t(f"lattice.column.{name}") for name in table.columns})
    st.dataframe(table, hide_index=True)
    _download(table, "lattice")
