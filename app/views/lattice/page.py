"""Lattice: all segmentations of one sentence, the best one, and why."""

import math

import streamlit as st

from app.parts.choices import unit_choice, url_choice
from app.parts.command_line import lattice_commands
from app.parts.problem import reason
from app.parts.share import share
from app.parts.tokenizers.active_model import active_lattice
from app.parts.tokens.page_links import take_linked_sentence
from app.session import state
from app.session.models import ActiveLattice
from app.texts.i18n import t
from app.texts.plain import plain
from app.texts.presets import PRESETS, beginning
from app.views.lattice.figure import LIMIT, ROUND, TEXT
from app.views.lattice.morphemes import render_morphemes
from app.views.lattice.sections import render_methods, render_nbest, render_samples, render_steps, render_table
from app.views.lattice.whatif import adopt_what_if, changed_lattice, forget_forced, publish_what_if, render_what_if
from app.views.lattice.why import PICKED, in_unit, render_picture
from engine.errors import InputError
from engine.lattice.lattice import Lattice

_SHOWN = "lattice.shown"
_SECTIONS = ("nbest", "whatif", "steps", "samples", "methods", "table")


def _use_preset(name: str) -> None:
    TEXT.set(PRESETS[name])
    forget_forced()


def _sentence() -> str:
    """The session's sentence, with the field and the examples to change it."""
    take_linked_sentence()
    TEXT.adopt()
    about = t("lattice.text_help", limit=LIMIT)
    typed = st.text_area(t("lattice.text"), key=TEXT.key, height=80, help=about, persist_state="session")
    # The default sentence too: a link to a lattice includes its sentence.
    state.publish(TEXT.param, TEXT.encode(typed))
    text = typed.replace("\n", " ")
    with st.container(horizontal=True, gap="xsmall", key="lattice_presets"):
        for name, sentence in PRESETS.items():
            st.button(plain(beginning(sentence, 12)), key=f"preset.{name}", on_click=_use_preset, args=(name,))
    for name, sentence in PRESETS.items():
        if text == sentence:
            st.caption(plain(t(f"lattice.preset.{name}")))
    if len(text) > LIMIT:
        st.info(t("lattice.cut", n=len(text), limit=LIMIT))
    return text[:LIMIT]


def _round(active: ActiveLattice) -> int | None:
    """The selected round; None for a model without rounds."""
    if active.model.pruning is None:
        st.caption(t("lattice.no_rounds"))
        return None
    rounds = active.model.pruning.kept_rounds
    first, last = rounds[0], rounds[-1]
    if first == last:
        return last
    # A visitor wants to see the finished vocabulary first, so this is not the slider of the other pages.
    if st.session_state.get(ROUND, last) not in rounds:
        st.session_state[ROUND] = last
    if first:
        st.caption(t("figure.compact", first=first, before=first - 1))
    return int(
        st.slider(
            t("lattice.round"),
            first,
            last,
            last,
            key=ROUND,
            help=t("lattice.round_help"),
            bind="query-params",
            persist_state="session",
        )
    )


def _about_fewest(lattice: Lattice) -> str:
    """The best path compared with the fewest tokens that the vocabulary allows."""
    least, best = lattice.floor, lattice.n_tokens(lattice.best_path)
    if best == least:
        return t("lattice.fewest.best", count=least)
    cost = math.exp(lattice.path_log_prob(lattice.fewest_tokens()) - lattice.log_z)
    return t("lattice.fewest.other", count=least, best=best, posterior=f"{cost:.2g}")


def _render_metrics(lattice: Lattice, unit: str) -> None:
    best = math.exp(lattice.best_log_prob - lattice.log_z)
    count = lattice.n_segmentations
    shown = {
        "tokens": str(lattice.n_tokens(lattice.best_path)),
        "fewest": str(lattice.floor),
        "posterior": f"{best:.4f}",
        "entropy": f"{in_unit(lattice.entropy, unit)} {t(f'figure.unit.{unit}')}",
        "segmentations": f"{count:,}" if count < 10**7 else f"{count:.2e}" if count < 10**300 else ">1e300",
    }
    helps = {"tokens": "explore.count.tokens_rule", "fewest": "lattice.fewest.help"}
    with st.container(horizontal=True, gap="medium", key="lattice.metrics"):
        for name, value in shown.items():
            help_text = t(helps[name]) if name in helps else None
            st.metric(t(f"lattice.metric.{name}"), value, help=help_text, width="content")
    st.caption(_about_fewest(lattice))


st.title(t("lattice.title"))
st.markdown(t("lattice.intro"))
active = active_lattice()
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
    lattice, is_changed = changed_lattice(active.model, text, number, adopt_what_if())
except InputError as error:
    st.error(plain(reason(error)))
    st.stop()
publish_what_if()
if not lattice.n:
    st.info(t("lattice.nothing"))
    st.stop()
if is_changed:
    st.warning(t("lattice.whatif.active"), icon=":material/science:")
PICKED.adopt()
shown = (text, number, active.sha256, is_changed)
if st.session_state.setdefault(_SHOWN, shown) != shown:
    st.session_state[_SHOWN] = shown
    PICKED.set(None)
_render_metrics(lattice, unit)
render_picture(active, lattice, number, unit)
render_morphemes(lattice)
share(commands=lattice_commands(active, text, number))
section = url_choice("tab", t("lattice.section"), {name: t(f"lattice.tab.{name}") for name in _SECTIONS}, "nbest")
if section == "nbest":
    render_nbest(active, lattice, unit)
elif section == "whatif":
    render_what_if(lattice)
elif section == "steps":
    render_steps(lattice, unit, text)
elif section == "samples":
    render_samples(active, lattice, unit)
elif section == "methods":
    render_methods(lattice, unit)
else:
    render_table(active, lattice, number, unit)
