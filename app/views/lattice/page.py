"""Lattice: all segmentations of one sentence, the best one, and why; of a model without probabilities, its merges."""

import math

import streamlit as st

from app.parts.choices import example_choice, read_choice, unit_choice, url_choice, url_select, url_slider
from app.parts.layout import Layout, heading, layout
from app.parts.problem import reason
from app.parts.tables.units import UNITS
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.active_model import active_tokenizer, explain_lack
from app.parts.tokens.token_field import LATTICE_TEXT, LATTICE_UNDER, take_linked_sentence
from app.session import state
from app.session.models import Active, ActiveLattice, ActiveTokenizer, current_reference, ready_tokenizer
from app.session.own_texts import held_texts
from app.session.page_run import fragment
from app.session.reference import parse_reference
from app.session.titles import reference_title
from app.session.url import UrlValue
from app.share.facts import lattice_commands, share
from app.texts.i18n import t
from app.texts.mixture import find_text
from app.texts.plain import plain
from app.texts.presets import PRESETS, beginning
from app.views.lattice.merges import render_merges
from app.views.lattice.sections import (
    render_methods,
    render_morphemes,
    render_nbest,
    render_samples,
    render_steps,
    render_table,
)
from app.views.lattice.whatif import adopt_what_if, changed_lattice, forget_forced, publish_what_if, render_what_if
from app.views.lattice.why import PICKED, choose_least, entropies_of, in_unit, render_view, render_why
from engine.errors import InputError
from engine.lattice.lattice import Lattice
from engine.messages import number_text
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available
from engine.shipped.catalogue import SHIPPED, shipped_models

_TEXT = url_text("text", LATTICE_TEXT, PRESETS["sweet_potato"])
_LIMIT = 400
_ROUND = "in_round"
_DRAWN = "lattice.shown"
# Reference to the tokenizer that cuts the sentence; empty: the active model.
_UNDER = UrlValue("under", LATTICE_UNDER, lambda text: text if parse_reference(text) else None, str, "")
# What runs on its own: the field and the lattice, which follow the keys, and all of it after a pause.
_FIELD, _PICTURE, _ALL = "lattice.field", "lattice.picture", "lattice.all"
_SECTIONS = ("nbest", "whatif", "steps", "samples", "methods", "table")


def _use_preset(name: str) -> None:
    _TEXT.set(PRESETS[name])
    forget_forced()


def _sentence() -> str:
    return _TEXT.value.replace("\n", " ")[:_LIMIT]


@fragment(key=_FIELD, waits=False)
def _render_field(live: tuple[str, ...]) -> None:
    typed = live_field(_TEXT, t("lattice.text"), live=live, then=(_ALL,))
    if len(typed) > _LIMIT:
        st.info(t("lattice.cut", n=len(typed), limit=_LIMIT))


def _render_examples(text: str) -> None:
    """The example sentences, and what the current one shows."""
    shown = next((name for name, sentence in PRESETS.items() if text == sentence), None)
    names = {name: beginning(sentence, 12) for name, sentence in PRESETS.items()}
    example_choice("lattice.example", names, _use_preset, shown)
    if shown:
        st.caption(plain(t(f"lattice.preset.{shown}")))


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
    if st.session_state.get(_ROUND, last) not in rounds:
        st.session_state[_ROUND] = last
    lacks = f" {t('figure.compact', first=first, before=first - 1)}" if first else ""
    return url_slider(_ROUND, t("lattice.round"), first, last, last, help_text=t("lattice.round_help") + lacks)


def _about_fewest(lattice: Lattice) -> str:
    """The best path compared with the fewest tokens that the vocabulary allows."""
    least, best = lattice.floor, lattice.n_tokens(lattice.best_path)
    if best == least:
        return t("lattice.fewest.best", count=least)
    cost = math.exp(lattice.path_log_prob(lattice.fewest_tokens()) - lattice.log_z)
    return t("lattice.fewest.other", count=least, best=best, posterior=number_text(cost, ".2g"))


def _render_metrics(lattice: Lattice, unit: str) -> None:
    best = math.exp(lattice.best_log_prob - lattice.log_z)
    count = lattice.n_segmentations
    shown = {
        "tokens": str(lattice.n_tokens(lattice.best_path)),
        "fewest": str(lattice.floor),
        "posterior": f"{best:.4f}",
        "entropy": f"{in_unit(lattice.entropy, unit)} {t(f'figure.unit.{unit}')}",
        "segmentations": f"{count:,}" if count < 10**7 else number_text(count, ".2e") if count < 10**300 else ">10³⁰⁰",
    }
    helps = {"tokens": "explore.count.tokens_rule", "fewest": "lattice.fewest.help"}
    with st.container(horizontal=True, gap="medium", key="lattice.metrics"):
        for name, value in shown.items():
            help_text = t(helps[name]) if name in helps else None
            st.metric(t(f"lattice.metric.{name}"), value, help=help_text, width="content")
    st.caption(f"{t('lattice.darker')} {_about_fewest(lattice)}")


def _chosen() -> ActiveTokenizer:
    """The tokenizer that cuts the sentence: another one that is ready, or the active model."""
    active = active_tokenizer()
    under = parse_reference(_UNDER.adopt())
    if under is None or under == active.reference:
        _UNDER.set("")
        return active
    found = ready_tokenizer(under, find_text(under.source_id, held_texts()))
    if found is None:
        _UNDER.set("")
        st.caption(t("set.gone", name=plain(reference_title(under))))
    return found or active


def _render_settings(shown: ActiveTokenizer) -> None:
    """The choice of the tokenizer; of one with probabilities, the unit."""
    titles = {"": reference_title(current_reference())}
    titles |= {SHIPPED + name: t(f"shipped.{name}") for name in shipped_models()}
    titles |= {one.reference: one.title for one in PUBLIC_TOKENIZERS.values() if is_available(one.name)}
    titles.pop(str(current_reference()), None)
    titles.setdefault(_UNDER.value, shown.title)
    url_select(_UNDER, t("lattice.under"), titles)
    if shown.model.probabilities:
        unit_choice()


def _pick(arc: int) -> None:
    PICKED.set(arc)
    st.rerun(_ALL)


@fragment(key=_PICTURE, waits=False)
def _render_picture(active: ActiveLattice, number: int | None, unit: str) -> None:
    """The lattice, which follows the keys."""
    text = _sentence()
    if not text:
        st.info(t("lattice.empty"))
        return
    try:
        lattice, is_changed = changed_lattice(active.model, text, number, adopt_what_if())
    except InputError as error:
        st.error(plain(reason(error)))
        return
    if not lattice.n:
        st.info(t("lattice.nothing"))
        return
    PICKED.adopt()
    shown = (text, number, active.sha256, is_changed)
    if st.session_state.setdefault(_DRAWN, shown) != shown or (PICKED.value or 0) >= lattice.begin.size:
        st.session_state[_DRAWN] = shown
        PICKED.set(None)
    render_view(lattice, entropies_of(active, lattice, number), unit, PICKED.value, _pick)


def _render_lattice(view: Layout, active: ActiveLattice, unit: str) -> None:
    with view.scrubber:
        number = _round(active)
    with view.picture:
        _render_picture(active, number, unit)
    text, picked = _sentence(), PICKED.value
    try:
        lattice, is_changed = changed_lattice(active.model, text, number, adopt_what_if())
    except InputError:  # said in place of the picture
        return
    if not lattice.n:
        return
    publish_what_if()
    PICKED.publish(picked)
    with view.scrubber:
        choose_least(lattice)
    with view.pending:
        if is_changed:
            st.warning(t("lattice.whatif.active"), icon=":material/science:")
    with view.sections:
        render_why(lattice, unit, picked, has_page=active.model.pruning is not None and not _UNDER.value)
        _render_metrics(lattice, unit)
        render_morphemes(lattice)
        share(commands=lattice_commands(active, text, number))
        _render_section(active, lattice, number, unit, text)


def _render_section(active: ActiveLattice, lattice: Lattice, number: int | None, unit: str, text: str) -> None:
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


@fragment(key=_ALL)
def _render() -> None:
    """All but the heading."""
    view = layout()
    take_linked_sentence()
    with view.picture:
        shown = _chosen()
    with view.topic:
        _render_field((_FIELD, _PICTURE) if shown.model.probabilities else (_ALL,))
    state.publish(_TEXT.param, _TEXT.encode(_TEXT.value))
    text = _sentence()
    unit = read_choice("units", UNITS, UNITS[0])
    names = [plain(shown.title), *([t(f"figure.unit.{unit}")] if shown.model.probabilities else [])]
    with view.settings(", ".join(names)):
        _render_settings(shown)
    if lattice := shown.model.probabilities:
        _render_lattice(view, Active(shown.reference, lattice, shown.sha256, shown.source), unit)
    elif (words := shown.model.merge_steps(text)) is not None:
        render_merges(view, shown, text, words)
    else:
        with view.picture:
            explain_lack("no_lattice", shown)
    with view.scrubber:
        _render_examples(text)


heading("lattice", sentence=t("lattice.intro"))
_render()
