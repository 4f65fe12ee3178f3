"""Concordance: the hits of a search, counted by form and by cut, and their rows."""

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.data import KwicPlace
from app.components.pictures import kwic
from app.parts.choices import set_choice, url_list, url_number, url_toggle
from app.parts.data_table import download_tsv
from app.parts.layout import layout, render_figure
from app.parts.texts.corpus_choice import corpus_title
from app.parts.tokens.token_field import lattice_link
from app.server.remember import remember
from app.session import state
from app.session.titles import titled_files
from app.session.url import UrlValue, short_text, whole_number
from app.share.facts import render_commands, search_commands
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.commands import concordance_command
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.search.field import Search, choose_search, problems_shown
from app.views.search.figures import parts_figure
from app.views.search.hits import (
    CONTEXT,
    MAX_HITS,
    SORTS,
    Forms,
    HitCuts,
    chosen_spans,
    cuts_of,
    forms_of,
    hit_table,
    part_table,
    sort_hits,
    spread,
    with_files,
)
from engine.measure.layers import MORPHEMES, Spans
from engine.pictures.showable import showable

_ROWS, _MAX_SORTS, _MOST_FORMS, _MAX_FORM = 40, 3, 10, 60
_SAMPLE = 100
_NEIGHBOURS, _MAX_NEIGHBOUR = 3, 300  # lines on either side of a picked one, characters of each
_FORM = UrlValue("form", "search.form", short_text(_MAX_FORM), state.pack_text, "")
_CUT = UrlValue("cut_as", "search.cut_as", short_text(_MAX_FORM), state.pack_text, "")
_PLACE = UrlValue("place", "search.place", whole_number, str, 0)


def render_concordance() -> None:
    view = layout()
    search = choose_search(view)
    with problems_shown(view):
        spans = search.hits()
        with view.picture:
            render_count(search, spans)
            table, cuts = _filtered(search, spans)
            render_rows(search, table, "search.rows", cuts, view.scrubber)
        with view.sections:
            _render_parts(search, spans)
            _render_command(search)


def render_count(search: Search, spans: Spans) -> None:
    """How many hits, in what, and what was really asked where it differs from what was typed."""
    words = int(search.words().sum())
    count = len(spans.line)
    parts = [
        t(
            "search.count",
            count=count,
            per_million=1e6 * count / max(1, words),
            text=plain(search.typed),
            corpus=plain(corpus_title()),
        )
    ]
    if search.within:
        parts.append(plain(search.within))
    query = search.query
    if query is not None and query.text != search.typed:
        parts.append(f"`{query.text}`")
    if search.step > 1:
        parts.append(t("search.every", step=search.step))
    if query is not None and MORPHEMES in query.layers:
        parts.append(t("search.analyser", name=plain(search.analyser_title)))
    st.markdown(" · ".join(parts))


def _filtered(search: Search, spans: Spans) -> tuple[pd.DataFrame, HitCuts]:
    """The rows with the form and the cut that were pressed, and how each is cut."""
    forms: Forms = remember("search.forms", search.key, lambda: forms_of(search.lines(), spans), 2)
    texts = pd.Series(forms.texts, dtype=str)
    form = _pills(_FORM, t("search.form_pills"), texts)
    some = texts.index[texts == form].to_numpy() if form else texts.index.to_numpy()
    some = some[spread(len(some), MAX_HITS)]
    own = chosen_spans(spans, forms.hits[some])
    key = (*search.key, form)

    def cut() -> HitCuts:
        return cuts_of(search.active.model, search.lines(), own, forms.begin[some], forms.end[some])

    cuts = remember("search.cuts", key, cut, 2)
    wanted = _pills(_CUT, t("search.cut_pills", name=plain(search.active.title)), pd.Series(cuts.texts, dtype=str))
    table = remember("search.table", key, lambda: hit_table(search.lines(), own), 2)
    table = table.assign(mark=range(len(table)))
    if len(some) < len(spans.line) and len(some) == MAX_HITS:
        st.caption(t("search.sampled", shown=MAX_HITS))
    return (table[[one == wanted for one in cuts.texts]] if wanted else table), cuts


def _pills(url: UrlValue[str], label: str, texts: pd.Series) -> str:
    """Counts of the most frequent texts; the pressed one, empty for all."""
    counts = texts[texts != ""].value_counts(sort=True).head(_MOST_FORMS)
    if url.adopt() not in counts:
        url.set("")
    titles = {text: f"{plain(text.replace(' ', '␣'))} {count:,}" for text, count in counts.items()}
    left, right = st.columns([1, 7], gap="small", vertical_alignment="center")
    left.caption(label)
    right.pills(
        label,
        list(titles),
        format_func=titles.__getitem__,
        key=url.key,
        persist_state="session",
        label_visibility="collapsed",
        wrap=True,
    )
    url.publish(url.value)
    return url.value


def render_rows(
    search: Search, table: pd.DataFrame, key: str, cuts: HitCuts | None = None, controls: DeltaGenerator | None = None
) -> None:
    """A page of rows, a picked one with its sentence, and the file of all.

    Parameters
    ----------
    cuts : those of the rows, by their column `mark`.
    controls : place of what sorts and pages them; by default below them.
    """
    if table.empty:
        st.caption(t("search.none"))
        return
    listed = st.container()
    with controls or st.container():
        left, middle, right = st.columns([4, 2, 3], vertical_alignment="bottom")
        with left:
            orders = {name: t(f"search.sort_{name}") for name in SORTS}
            order = url_list("sort", t("search.sort"), orders, SORTS[:2], _MAX_SORTS, t("search.sort_help"))
        with right:
            is_cut = cuts is not None and url_toggle("cuts", t("search.cuts", name=plain(search.active.title)))
            if len(table) > _SAMPLE and url_toggle("sample", t("search.sample", count=_SAMPLE)):
                table = table.sample(_SAMPLE, random_state=0)
        with middle:
            last = -(-len(table) // _ROWS)
            number = int(url_number("page", t("search.page", last=last), 1, last, 1, 1)) if last > 1 else 1
    table = sort_hits(with_files(table, titled_files(search.text)), order)
    rows = table.iloc[(number - 1) * _ROWS : number * _ROWS]
    with listed:
        _render_page(search, rows, order, key, cuts if is_cut else None)
        download_tsv(
            "concordance",
            lambda: table.drop(columns=["begin", "end", "mark"], errors="ignore"),
            t("scores.kwic.tsv"),
            t("scores.kwic.tsv_help", context=CONTEXT),
            of=search.text,
        )


def _render_page(search: Search, rows: pd.DataFrame, order: list[str], key: str, cuts: HitCuts | None) -> None:
    records: Any = rows.assign(line=rows["file_line"])[["line", "file", "left", "token", "right"]].to_dict("records")
    places: list[KwicPlace] = records
    if cuts is not None:
        for place, mark in zip(places, rows["mark"], strict=True):
            place["cuts"] = cuts.marks[mark]
    at = _PLACE.adopt() - 1
    at = at if 0 <= at < len(rows) else -1
    _PLACE.publish(at + 1)
    kwic(
        key,
        places,
        list(dict.fromkeys(name.partition("_")[0].rstrip("2") for name in order)),
        selected=at if at >= 0 else None,
        on_pick=lambda row: _PLACE.set(row + 1),
        on_sort=lambda wish: set_choice("sort", [wish, *(name for name in order if name != wish)][:_MAX_SORTS]),
        lang=TEXT_LANGUAGE,
    )
    if at >= 0:
        _render_sentence(search, rows.iloc[at])


def _render_sentence(search: Search, place: pd.Series) -> None:
    """A picked line between its neighbours in the file, where it is, and the link to its lattice."""
    lines, files, line = search.text.lines(), search.text.files(), int(place["line"]) - 1
    first, last = line + 1 - int(place["file_line"]), files.line_ptr[files.place(line)[0] + 1]
    with st.container(border=True, key="search.sentence"):
        st.caption(t("scores.kwic.file_line", file=plain(place["file"]), number=place["file_line"]))
        _render_neighbours(lines[max(first, line - _NEIGHBOURS) : line])
        st.text(place["sentence"])
        _render_neighbours(lines[line + 1 : min(last, line + 1 + _NEIGHBOURS)])
        lattice_link("search", place["sentence"], t("scores.kwic.lattice"), str(search.active.reference))


def _render_neighbours(lines: list[str]) -> None:
    if lines:
        st.caption("  \n".join(plain(showable(line[:_MAX_NEIGHBOUR])) for line in lines))


def _render_parts(search: Search, spans: Spans) -> None:
    parts = part_table(spans, search.text.files(), search.groups(), search.words())
    title = t("search.parts_title", text=search.typed)
    render_figure(parts_figure(parts, title, language()), "search.parts", title)


def _render_command(search: Search) -> None:
    """The same list on the command line, which has queries and texts."""
    query = search.query
    if query is not None:
        options: dict[str, object] = {"query": query.text}
        if MORPHEMES in query.layers:
            options["analyser"] = search.analyser
        render_commands(search_commands(concordance_command, search.text, search.active, options))
