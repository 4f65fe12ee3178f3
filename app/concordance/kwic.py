"""Keyword in context: a token's occurrences in the corpus, with links from a line to its lattice."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import regex
import streamlit as st

from app.components.concordance import kwic
from app.components.data import KwicPlace
from app.concordance.collocates import Near, Node, analyser_in_use, render_collocates
from app.concordance.query_text import NotReadyError, searched
from app.concordance.tables import (
    CONTEXT,
    LEAST_PROBABILITY,
    MAX_LATTICES,
    MAX_LINES,
    SORTS,
    WAYS,
    Concordance,
    Frequency,
    LineCuts,
    concordance,
    concordance_cuts,
    frequency_by_file,
    pattern_concordance,
    pattern_places,
    place_spans,
    search_concordance,
    sort_concordance,
    span_places,
    text_concordance,
    text_frequency,
    token_frequency,
    with_files,
)
from app.parts.choices import set_choice, url_choice, url_list, url_toggle
from app.parts.data_table import download_csv, download_tsv, draw_table, headings
from app.parts.problem import reason
from app.parts.tables.tokens import visible
from app.parts.tokenizers.active_model import render_text_note
from app.parts.tokens.token_field import lattice_link, token_link
from app.server.remember import remember
from app.session import state
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.session.titles import titled_files
from app.session.url import UrlValue, short_text, whole_number
from app.share.facts import render_commands, search_commands
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.commands import concordance_command
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.normalize import composed, normalize
from engine.errors import InputError
from engine.hangul.jamo import compose
from engine.measure.layers import TOKENS, WORDS, Spans, token_value
from engine.pictures.showable import showable
from engine.query.near import text_spans, unit_query
from engine.query.parse import parse_query
from engine.query.syntax import Query, QueryError
from engine.query.text import SearchedText
from engine.unigram.model.model import token_label

_MAX_SORTS = 3
_MAX_PATTERN = 300
_MAX_ROWS = 500
_MAX_WANTED = 60  # characters of a search
_MAX_NAME = 40  # characters of a token in a file name
_PLACE = "kwic.place"
_QUERY_SECONDS = 10.0
_QUERY = UrlValue("query", "kwic.query", short_text(_MAX_PATTERN), state.pack_text, "")
_PATTERN = UrlValue("pattern", "kwic.pattern", short_text(_MAX_PATTERN), state.pack_text, "")
_CONTEXT = UrlValue("context", "kwic.context", short_text(_MAX_WANTED), state.pack_text, "")


class _View(NamedTuple):
    """Values of the controls.

    Attributes
    ----------
    way : one of WAYS.
    orders : keys among SORTS, primary first.
    wanted : the text to find in the context; empty: any.
    pattern : the regular expression for the way `regex`, or the query.
    has_collocates : whether they are shown.
    """

    way: str
    orders: tuple[str, ...]
    wanted: str
    pattern: str = ""
    has_collocates: bool = False


class _Of(NamedTuple):
    """Subject of the concordance.

    Attributes
    ----------
    active : the model.
    lines : its text, normalized.
    number : the round whose vocabulary segments the lines.
    row : of the token; None for a text that is not a token.
    text : bytes of the token or the text.
    """

    active: ActiveModel
    lines: list[str]
    number: int
    row: int | None
    text: bytes

    @property
    def label(self) -> str:
        return plain(visible(token_label(self.text)))


@fragment
def render_concordance(active: ActiveModel, rows: list[int], number: int, *, has_link: bool = True) -> None:
    """The concordance of the first of the rows, segmented by the vocabulary of a round.

    Parameters
    ----------
    has_link : whether to link to the token's own page.
    """
    st.subheader(t("scores.kwic.heading"))
    if not rows:
        st.caption(t("scores.kwic.none"))
        return
    if active.lacks_text:
        st.caption(t("own_text.needed"))
        return
    render_text_note(active)
    if has_link:
        # The session keeps the field's token for the linked page.
        token_link()
    _render(_Of(active, _lines(active), number, rows[0], active.model.tokens[rows[0]]))


@fragment
def render_text_concordance(active: ActiveModel, text: str, number: int) -> None:
    """The occurrences of a text in the corpus, however it is tokenized."""
    st.subheader(t("scores.kwic.heading"))
    if active.lacks_text:
        st.caption(t("own_text.needed"))
        return
    render_text_note(active)
    data = normalize(composed(text), active.model.settings.normalization).encode("utf-8", "replace")
    _render(_Of(active, _lines(active), number, None, data))


def _lines(active: ActiveModel) -> list[str]:
    form = active.model.settings.normalization
    return [normalize(line, form) for line in active.text.lines()]


def _render(of: _Of) -> None:
    """The controls, the occurrences, and their collocates, one of which the occurrences may be limited to."""
    model = of.active.model
    view = _controls(of)
    if of.row is not None and 0 <= (died := int(model.died_in_round[of.row])) < of.number and _is_cut(view.way):
        st.markdown(t("scores.kwic.dead", token=of.label, died=died, number=of.number))
        return
    listed = st.container(key="scores.kwic_listed")
    try:
        node = _node(of, view)
        near = render_collocates(node, partial(_searched, of)) if view.has_collocates else None
        with listed:
            _render_list(of, view, near, node)
            if near is None and not view.wanted:
                _render_command(of, view, node)
    except NotReadyError:
        if view.way != "query":
            with listed:
                _render_list(of, view, None, node)
    except QueryError as error:
        listed.warning(plain(reason(error)), icon=":material/manage_search:")
        listed.code(error.pointed, language=None)
    except InputError as error:
        listed.warning(plain(reason(error)), icon=":material/regular_expression:")


def _render_list(of: _Of, view: _View, near: Near | None, node: Node) -> None:
    """The frequency in the text, the list of occurrences, its file, and the picked line."""
    spans = near and near.spans
    if spans is None and view.way == "query":
        spans = node.find(_searched(of, node.layers))
    label = near.label if near else ""
    limit = MAX_LATTICES if view.way == "expected" else MAX_LINES
    found, frequency = remember("kwic", (*node.key, label), lambda: _search(of, view, limit, spans), 4)
    table = _arranged(of, found.table, view)
    _report(of, view, found, frequency, len(table), label)
    _render_files(of, view, frequency)
    if table.empty:
        return
    picked = _list(of, table.head(_MAX_ROWS), view, label)
    if len(table) > _MAX_ROWS:
        st.caption(t("scores.kwic.first", shown=_MAX_ROWS, count=len(table)))
    download_tsv(
        f"kwic-{_file_name(of)}",
        lambda: _arranged(of, _search(of, view, None, spans)[0].table, view).drop(columns=["begin", "end"]),
        t("scores.kwic.tsv"),
        t("scores.kwic.tsv_help", context=CONTEXT),
        of=of.active.text,
    )
    if picked is None:
        st.caption(t("scores.kwic.pick"))
    else:
        _sentence(table.iloc[picked])


def _render_command(of: _Of, view: _View, node: Node) -> None:
    """The same list on the command line, which has queries and texts."""
    wanted = {"query": node.query} if node.query else {"text": compose(of.text.decode(errors="ignore"))}
    has_text = bool(node.query) or (view.way == "text" and _is_whole(of.text))
    if has_text and (told := node.command_options(node.layers)) is not None:
        render_commands(search_commands(concordance_command, of.active, {**wanted, **told}))


def _searched(of: _Of, layers: list[str]) -> SearchedText:
    return searched(of.active, of.lines, of.number, layers, analyser_in_use())


def _node(of: _Of, view: _View) -> Node:
    """What the concordance lists, as the node of collocates; in all segmentations, where the text occurs.

    Raises
    ------
    InputError : it is a query that cannot be used.
    """
    key = (of.active.sha256, of.active.text.digest, of.number, of.text, view.way, view.pattern)
    rest = (of.active, of.number == of.active.model.last_round)
    if view.way in ("query", "token"):
        query = parse_query(view.pattern) if view.way == "query" else _as_query(of)
        own = (*key, analyser_in_use())

        def find(text: SearchedText) -> Spans:
            return remember(
                "kwic.spans", own, lambda: text.find(query, _QUERY_SECONDS), 2, waiting=t("scores.kwic.searching")
            )

        return Node(own, query.layers, find, *rest, query.text)
    if view.way == "regex":
        return Node(key, [], lambda text: place_spans(pattern_places(of.lines, view.pattern)), *rest)
    return Node(key, [], lambda text: text_spans(of.lines, of.text.decode(errors="ignore")), *rest)


def _as_query(of: _Of) -> Query:
    """The token, or the text as one unit."""
    if of.row is not None:
        return unit_query(token_value(token_label(of.text)), TOKENS)
    return unit_query(of.text.decode(errors="ignore").strip(), WORDS)


def _search(of: _Of, view: _View, limit: int | None, spans: Spans | None) -> tuple[Concordance, Frequency]:
    """The occurrences in at most `limit` lines, and the frequency in all lines; `spans`, if they are known."""
    model, lines = of.active.model, of.lines
    if spans is not None:
        frequency = Frequency(np.bincount(spans.line, minlength=len(lines)))
        return pattern_concordance(lines, span_places(spans, len(lines)), limit), frequency
    if view.way == "regex":
        matches = pattern_places(lines, view.pattern)
        frequency = Frequency(np.array([len(own) for own in matches], dtype=np.int64))
        return pattern_concordance(lines, matches, limit), frequency
    if of.row is None:
        return text_concordance(lines, of.text, limit), text_frequency(lines, of.text)
    died = int(model.died_in_round[of.row])
    is_alive = not 0 <= died < of.number
    return (
        concordance(model, lines, of.row, of.number, view.way, limit),
        token_frequency(model, lines, of.row, of.number) if is_alive else text_frequency(lines, of.text),
    )


def _is_cut(way: str) -> bool:
    return way in ("token", "expected")


def _file_name(of: _Of) -> str:
    """File name, valid on any system: the text, and for a token the model and the round."""
    settings = of.active.model.settings
    text = re.sub(r"[^\w␣.-]", "_", visible(token_label(of.text)))[:_MAX_NAME]
    if of.row is None:
        return f"text-{text}"
    return f"{settings.algorithm}-{of.active.model.vocab_size}-round-{of.number}-{text}"


def _controls(of: _Of) -> _View:
    ways = [name for name in WAYS if of.row is not None or not _is_cut(name)]
    # Parts of a character have no position of their own in a lattice.
    if not _is_whole(of.text):
        ways = [name for name in ways if name != "expected"]
    titles = {name: t(f"scores.kwic.as_{name}") for name in ways}
    way = url_choice("kwic", t("scores.kwic.what"), titles, ways[0])
    sorts = {name: t(f"scores.kwic.sort_{name}") for name in SORTS if name != "probability" or way == "expected"}
    left, right = st.columns(2)
    with left:
        orders = url_list("sort", t("scores.kwic.sort"), sorts, ["right"], _MAX_SORTS, t("scores.kwic.sort_help"))
    with right:
        wanted = _wanted(of.active.model.settings.normalization)
    pattern = ""
    if way == "regex":
        pattern = _typed(_PATTERN, "pattern", regex.escape(of.text.decode(errors="ignore"), special_only=True))
    elif way == "query":
        pattern = _typed(_QUERY, "query", _as_query(of).text)
    has_collocates = url_toggle("collocates", t("collocates.switch"), t("collocates.switch_help"))
    return _View(way, tuple(orders), wanted, pattern, has_collocates)


def _typed(url: UrlValue[str], name: str, own: str) -> str:
    """A query or a regular expression; `own`, that of the token, where nothing is typed."""
    url.adopt()
    typed = st.text_input(
        t(f"scores.kwic.{name}"),
        key=url.key,
        max_chars=_MAX_PATTERN,
        persist_state="session",
        placeholder=own,
        help=t(f"scores.kwic.{name}_help"),
    )
    url.publish(typed or "")
    return typed or own


def _wanted(form: str) -> str:
    """The text to find in the context, normalized and displayed like the lines."""
    _CONTEXT.adopt()
    label = t("scores.kwic.search")
    wanted = st.text_input(label, key=_CONTEXT.key, max_chars=_MAX_WANTED, persist_state="session") or ""
    _CONTEXT.publish(wanted)
    return showable(normalize(composed(wanted), form))


def _report(of: _Of, view: _View, found: Concordance, frequency: Frequency, count: int, collocate: str) -> None:
    """Frequency in the whole text, as a string and as a token, and how many occurrences are listed."""
    n_string = int(frequency.string.sum())
    sentences = int((frequency.string > 0).sum())
    if collocate:
        parts = [t("scores.kwic.near", collocate=plain(showable(collocate)), count=n_string, sentences=sentences)]
    elif view.way == "query":
        parts = [t("scores.kwic.query_matches", count=n_string, sentences=sentences)]
    elif view.way == "regex":
        parts = [t("scores.kwic.matches", pattern=plain(view.pattern), count=n_string, sentences=sentences)]
    elif frequency.token is None:
        parts = [t("scores.kwic.as_string", token=of.label, count=n_string, sentences=sentences)]
    else:
        n_token = int(frequency.token.sum())
        parts = [t("scores.kwic.as_both", token=of.label, count=n_string, sentences=sentences, tokens=n_token)]
    parts.append(t("scores.kwic.listed", count=count))
    if found.n_examined < found.n_lines:
        parts.append(t("scores.kwic.sampled", examined=found.n_examined, lines=found.n_lines))
    if view.way == "expected":
        parts.append(t("scores.kwic.expected_note", least=LEAST_PROBABILITY, total=found.table["probability"].sum()))
    st.markdown(" ".join(parts))


def _render_files(of: _Of, view: _View, frequency: Frequency) -> None:
    """Frequency in each file of the text, if it has several."""
    files = titled_files(of.active.text)
    if len(files) < 2 or not frequency.string.any():
        return
    with st.expander(t("scores.kwic.files", count=len(files)), icon=":material/folder_open:"):
        table = frequency_by_file(frequency, files)
        counts = {"string": "localized", "token": "localized", "sentences": "localized"}
        columns = headings("scores.kwic.file", file="", **counts, per_1000="%.1f")
        if view.way in ("regex", "query"):
            columns["string"]["label"] = t("scores.kwic.file.match")
        if frequency.token is None:
            del columns["token"]
        draw_table(table, columns)
        download_csv(f"kwic-files-{_file_name(of)}", lambda: table[list(columns)], of=of.active.text)


def _list(of: _Of, table: pd.DataFrame, view: _View, collocate: str) -> int | None:
    """Draw the lines; returns the picked one. The text, the view and the collocate identify the list."""
    own = (of.number, of.text, *view, collocate)
    picked = _picked(own, len(table))
    is_cut = url_toggle("cuts", t("scores.kwic.cuts", number=of.number), value=True)
    cuts = concordance_cuts(of.active.model, of.lines, table, of.number) if is_cut else None
    kwic(
        "scores.kwic",
        _places(table, view.way == "expected", cuts),
        view.orders,
        selected=picked,
        wanted=showable(view.wanted or collocate.partition("/")[0].replace("␣", "")),
        on_pick=lambda index: st.session_state.update({_PLACE: (own, index)}),
        on_sort=lambda order: set_choice("sort", [order, *(one for one in view.orders if one != order)][:_MAX_SORTS]),
        lang=TEXT_LANGUAGE,
    )
    return picked


def _sentence(place: pd.Series) -> None:
    """A picked line, where it is, and the link to its lattice."""
    with st.container(border=True, key="scores.kwic_sentence"):
        if "file" in place:
            st.caption(t("scores.kwic.file_line", file=plain(place["file"]), number=place["file_line"]))
        else:
            st.caption(t("scores.kwic.line_number", number=place["line"]))
        st.text(place["sentence"])
        lattice_link("kwic", place["sentence"], t("scores.kwic.lattice"))


def _picked(of: tuple[object, ...], size: int) -> int | None:
    """The picked occurrence, from 0; `place=<number from 1>` in the URL.

    The index is valid for one list only: if token, order or search change, nothing is picked.
    """

    def decode(text: str) -> tuple[tuple[object, ...], int] | None:
        number = whole_number(text)
        return None if number is None else (of, number - 1)

    place = UrlValue("place", _PLACE, decode, lambda place: str(place[1] + 1), (of, -1))
    list_of, index = place.adopt()
    picked = index if list_of == of and 0 <= index < size else None
    place.publish((of, -1 if picked is None else picked))
    return picked


def _places(table: pd.DataFrame, with_probability: bool, cuts: Sequence[LineCuts] | None) -> list[KwicPlace]:
    if "file" in table:
        table = table.assign(line=table["file_line"])
    names = ["line", "left", "token", "right", *["probability"] * with_probability, *["file"] * ("file" in table)]
    records: Any = table[names].to_dict("records")
    return [record | {"cuts": own} for record, own in zip(records, cuts, strict=True)] if cuts else list(records)


def _is_whole(token: bytes) -> bool:
    try:
        return bool(token.decode())
    except UnicodeDecodeError:
        return False


def _arranged(of: _Of, table: pd.DataFrame, view: _View) -> pd.DataFrame:
    """The lines that are wanted, in order; of several files, with the file and the line in it."""
    table = sort_concordance(search_concordance(table, view.wanted), view.orders)
    files = titled_files(of.active.text)
    return with_files(table, files) if len(files) > 1 else table
