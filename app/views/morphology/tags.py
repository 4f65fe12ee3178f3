"""Tokenizer × part of speech: whose morphemes are cut, whose boundaries are found, and in which eojeols."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.components.data import KwicPlace
from app.components.pictures import kwic
from app.parts.choices import url_choice, url_row
from app.parts.data_table import pick_row, render_data
from app.parts.layout import Layout, render_figure
from app.parts.problem import show_problem
from app.parts.tokens.morpheme_layer import tag_meaning
from app.parts.tokens.token_field import lattice_link
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.share.facts import model_commands, share
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.commands import morphology_command
from app.texts.corpora import own_text
from app.texts.i18n import language, t
from app.views.morphology.chosen_gold import BUILTIN, SILVER, UPLOADED, Gold, choose_gold, gold_label, shown_or_said
from app.views.morphology.figures import tags_figure
from app.views.morphology.gold import render_about
from engine.errors import InputError
from engine.measure.morphemes.analysis import Analysis
from engine.measure.morphemes.morphology import CUT, FREQUENCIES, MISSED, TagError, TagScores, tag_errors, tag_scores
from engine.measure.words import word_spans

TAG_MEASURES = ("cut", "found", "whole")


_GOLDS = (SILVER, BUILTIN, UPLOADED)
_PARAM, _ALL = "tagged", "all"
_PICKED = "morphology.tags.picked"
_MAX_ROWS, _MAX_PLACES = 300, 100


def render_tags(view: Layout) -> None:
    """The heat map; what it shows and in which eojeols; all numbers; and the eojeols that go wrong."""
    with view.settings(gold_label(_PARAM, _GOLDS)):
        gold = choose_gold(_PARAM, _GOLDS, view)
    shown = shown_or_said(view)
    with view.scrubber, st.container(horizontal=True, gap="medium"):
        measure, frequency = _measure(), _frequency()
    if not shown or not isinstance(gold, Gold):
        return
    if not gold.analysis.has_tags:
        with view.picture:
            st.info(t("morphology.tags.unknown"), icon=":material/label_off:")
        return
    scores = _scores(view, shown, gold, frequency)
    table = tags_table(scores, {tag: tag_meaning(tag) for own in scores.values() for tag in (one.tag for one in own)})
    if table.empty:
        with view.picture:
            st.info(t("morphology.tags.none_of_them"), icon=":material/filter_alt_off:")
        return
    with view.picture:
        title = t(f"morphology.tags.title_{measure}")
        render_figure(tags_figure(table, measure, title, language()), "morphology.tags.figure", title)
    with view.sections:
        _render_numbers(table, gold)
        render_about(gold)
        compared = [active for active in shown if active.title in scores]
        _render_errors(compared, gold, table, CUT if measure == "cut" else MISSED, frequency)
        if gold.file:
            models, commands = model_commands(compared)
            share(commands=[*commands, morphology_command(models, gold.file)])


def _measure() -> str:
    names = {name: t(f"morphology.tags.{name}") for name in ("cut", "found")}
    return url_choice("measure", t("morphology.tags.measure"), names, "cut", t("morphology.tags.measure_help"))


def _frequency() -> str:
    """One of FREQUENCIES, or "" for all."""
    names = {_ALL: t("morphology.tags.all")} | {
        name: t("morphology.tags.times", range=name.replace("-", "–")) for name in FREQUENCIES
    }
    chosen = url_choice("frequency", t("morphology.tags.frequency"), names, _ALL, t("morphology.tags.frequency_help"))
    return "" if chosen == _ALL else chosen


def _scores(
    view: Layout, shown: Sequence[ActiveTokenizer], gold: Gold, frequency: str
) -> dict[str, Sequence[TagScores]]:
    """The scores of each tokenizer by its title."""
    scores: dict[str, Sequence[TagScores]] = {}
    with view.picture, st.spinner(t("morphology.measuring")):
        for active in shown:
            try:
                scores[active.title] = _scores_of(active, gold, frequency)
            except InputError as error:
                show_problem(active.title, error)
    return scores


def _scores_of(active: ActiveTokenizer, gold: Gold, frequency: str) -> list[TagScores]:
    def measure() -> list[TagScores]:
        return tag_scores(active.model, gold.analysis, frequency)

    key, is_shared = (active.sha256, gold.key, frequency), gold.is_shared and active.reference.is_named
    return remember("morphology.tags", key, measure, 400, is_shared=is_shared)


def _render_numbers(table: pd.DataFrame, gold: Gold) -> None:
    names = ("tokenizer", "tag", "name", "pieces", "boundaries")
    columns: dict[str, Any] = {name: t(f"morphology.tags.column.{name}") for name in names}
    share = st.column_config.NumberColumn
    for name in TAG_MEASURES:
        title = t(f"morphology.tags.{name}")
        columns[name] = share(title, format="percent", help=t(f"morphology.tags.{name}_help"))
        for end in ("low", "high"):
            columns[f"{name}_{end}"] = share(f"{title} {t(f'morphology.tags.{end}')}", format="percent")
    render_data("morphology-tags", table, columns, of=own_text("\n".join(gold.analysis.lines)))


def _render_errors(
    shown: Sequence[ActiveTokenizer], gold: Gold, table: pd.DataFrame, kind: str, frequency: str
) -> None:
    """The eojeols in which one tokenizer cuts or misses one part of speech, and the lines of the picked one."""
    st.subheader(t(f"morphology.tags.errors_{kind}"), anchor=False)
    tags = dict(zip(table["tag"], table["tag"] + " " + table["name"], strict=True))
    left, right = st.columns(2)
    with left:
        active = shown[url_row("of", t("morphology.tags.column.tokenizer"), [active.title for active in shown])]
    with right:
        tag = list(tags)[url_row("tag", t("morphology.tags.column.tag"), list(tags.values()), gold.key + frequency)]
    key = (active.sha256, gold.key, tag, kind, frequency)
    errors = remember(
        "morphology.tag_errors", key, lambda: tag_errors(active.model, gold.analysis, tag, kind, frequency)
    )
    if not errors:
        st.caption(t("morphology.tags.no_errors"))
        return
    listed = error_table(errors)
    st.caption(t("morphology.tags.errors_count", kinds=len(listed), count=int(listed["count"].sum())))

    def pick(row: int) -> None:
        st.session_state[_PICKED] = (key, row)

    columns = {name: t(f"morphology.tags.column.{name}") for name in listed.columns}
    pick_row(listed.head(_MAX_ROWS), "morphology.tags.errors", pick, columns, alt=t(f"morphology.tags.errors_{kind}"))
    render_data("morphology-tag-errors", listed, columns, of=own_text("\n".join(gold.analysis.lines)))
    picked_of, row = st.session_state.get(_PICKED, (key, 0))
    _render_lines(active, errors[row if picked_of == key and row < len(errors) else 0], gold)


def _render_lines(active: ActiveTokenizer, error: TagError, gold: Gold) -> None:
    """The lines of one eojeol; each leads to its lattice, under the same tokenizer."""
    places = error_places(error, gold.analysis)[:_MAX_PLACES]
    own = (gold.key, error.surface)
    line_of, index = st.session_state.get("morphology.tags.place", (own, 0))
    index = index if line_of == own and index < len(places) else 0
    kwic(
        "morphology.tags.kwic",
        places,
        ("corpus",),
        selected=index,
        on_pick=lambda chosen: st.session_state.update({"morphology.tags.place": (own, chosen)}),
        lang=TEXT_LANGUAGE,
    )
    sentence = gold.analysis.lines[places[index]["line"] - 1]
    lattice_link("tags", sentence, t("scores.kwic.lattice"), str(active.reference))


def tags_table(scores: Mapping[str, Sequence[TagScores]], names: Mapping[str, str]) -> pd.DataFrame:
    """One row per tokenizer and part of speech, the most frequent first.

    Parameters
    ----------
    names : of the parts of speech.

    Returns
    -------
    table : columns tokenizer, tag, name, pieces and boundaries (numbers of them), and each of TAG_MEASURES with the
        ends of its interval (`cut`, `cut_low`, `cut_high`, ...); NaN where there is nothing to measure.
    """
    rows = [
        {"tokenizer": tokenizer, "tag": one.tag, "name": names.get(one.tag, one.tag)} | _values(one)
        for tokenizer, own in scores.items()
        for one in own
        if one.tag
    ]
    ends = [f"{measure}{end}" for measure in TAG_MEASURES for end in ("", "_low", "_high")]
    return pd.DataFrame(rows, columns=["tokenizer", "tag", "name", "pieces", "boundaries", *ends])


def _values(one: TagScores) -> dict[str, float]:
    values: dict[str, float] = {"pieces": one.whole.n, "boundaries": one.found.n}
    for name in TAG_MEASURES:
        measure = getattr(one, name)
        low, high = measure.interval or (float("nan"), float("nan"))
        values |= {name: measure.value, f"{name}_low": low, f"{name}_high": high}
    return values


def error_table(errors: Sequence[TagError]) -> pd.DataFrame:
    """One row per eojeol. Columns: eojeol, morphemes, tokens, count, line (the first, from 1)."""
    rows = [(one.surface, one.morphemes, one.tokens, len(one.lines), one.lines[0] + 1) for one in errors]
    return pd.DataFrame(rows, columns=["eojeol", "morphemes", "tokens", "count", "line"])


def error_places(error: TagError, analysis: Analysis) -> list[KwicPlace]:
    """The lines of an eojeol, one place for each occurrence."""
    places: list[KwicPlace] = []
    for number in dict.fromkeys(error.lines):
        line = analysis.lines[number]
        for begin, end in word_spans(line, "eojeol"):
            if line[begin:end] == error.surface:
                places.append({"line": number + 1, "left": line[:begin], "token": line[begin:end], "right": line[end:]})
    return places
