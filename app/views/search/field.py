"""What is searched, in which corpus: one line for all views, and what a plain word means."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import streamlit as st

from app.parts.choices import example_choice, set_choice, url_choice, url_toggle
from app.parts.layout import Layout
from app.parts.problem import reason
from app.parts.texts.corpus_choice import choose_corpus
from app.parts.texts.subcorpus import choose_files, columns_of, said_of_where, set_where, url_where, value_titles
from app.parts.tokens.morpheme_layer import analyser_choice, is_ready
from app.parts.tokens.token_field import follow_link
from app.server.remember import remember
from app.server.work.kernels import KernelsNotReadyError
from app.session import state
from app.session.figure import figure_alone
from app.session.models import ActiveTokenizer
from app.session.page_run import render_preparing
from app.session.titles import column_title
from app.session.url import UrlValue, short_text
from app.share.facts import note_models
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.search.choice import MAX_CHARS, choose_layer, choose_tokenizer
from app.views.search.layers import NotReadyError, searched
from app.views.search.tables import MORPHEMES, TOKENS, WORDS
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.corpus.normalize import text_of_spans
from engine.errors import InputError
from engine.hangul.allomorphs import allomorphs
from engine.measure.layers import Spans
from engine.query.near import is_query
from engine.query.parse import parse_query
from engine.query.plain import WAYS, find_plain, plain_query, without_lemmas
from engine.query.syntax import Query, QueryError
from engine.query.text import SearchedText

_MAX_QUERY = 300
_QUERY_SECONDS = 10.0
_QUERY = UrlValue("q", "search.query", short_text(_MAX_QUERY), state.pack_text, "")
_LOOSE = "loose"
_FIRST = "학교"
# Unit, and whether spaces do not count, by what is typed.
_EXAMPLES = {
    _FIRST: (WORDS, False),
    "할수있": (WORDS, True),
    "하다": (MORPHEMES, False),
    '[tag="NNG"] [form="을|를"]': (MORPHEMES, False),
    '"노동.*|로동.*"': (WORDS, False),
    '[token="␣있는"] []{0,2} [word=".*다\\."]': (TOKENS, False),
}


class Search(NamedTuple):
    """What is searched.

    Attributes
    ----------
    text : the corpus.
    typed : a plain word or a query.
    unit : tokens, morphemes or words.
    way : what a plain word matches, one of WAYS.
    is_loose : whether it matches across spaces.
    active : the tokenizer.
    analyser : of morphemes.
    files : indices of those searched.
    within : the conditions that chose them; empty without any.
    step : of a long corpus, morphemes are those of every step-th line.
    """

    text: Text
    typed: str
    unit: str
    way: str
    is_loose: bool
    active: ActiveTokenizer
    analyser: str
    files: tuple[int, ...]
    within: str
    step: int = 1

    @property
    def query(self) -> Query | None:
        """None for a plain word in eojeols, which is looked for in the text itself.

        Raises
        ------
        QueryError : it cannot be parsed.
        """
        if is_query(self.typed):
            return parse_query(without_lemmas(self.typed, self.analyser))
        if self.unit == WORDS:
            return None
        return parse_query(plain_query(self.typed, self.unit, self.way, self.analyser))

    @property
    def analyser_title(self) -> str:
        """With its version."""
        return ANALYSERS[self.analyser].title

    @property
    def form(self) -> str:
        """The normal form of the lines: that of the tokenizer where tokens are looked for, else NFC."""
        query = self.query
        return self.active.model.normalization if query is not None and TOKENS in query.layers else "nfc"

    @property
    def digest(self) -> Hashable:
        """Identifies the lines."""
        return self.text.digest, self.form, self.files, self.step

    @property
    def key(self) -> tuple[Hashable, ...]:
        """Identifies the hits."""
        return (self.digest, self.typed, self.unit, self.way, self.is_loose, self.analyser, self.active.sha256)

    def lines(self) -> list[str]:
        return remember("search.lines", self.digest, self._lines, 1, size=lambda lines: 2 * self.text.n_chars)

    def _lines(self) -> list[str]:
        lines, files = self.text.lines(), self.text.files()
        if len(self.files) < len(files):
            is_chosen = np.isin(files.places(np.arange(len(lines)))[0], self.files)
            lines = [line if is_in else "" for line, is_in in zip(lines, is_chosen.tolist(), strict=True)]
        return [text_of_spans(line, self.form) if k % self.step == 0 else "" for k, line in enumerate(lines)]

    def layered(self, layers: list[str]) -> SearchedText:
        """The text with these layers; raises NotReadyError while they are made."""
        return searched(self.digest, self.lines(), self.active, layers, self.analyser)

    def hits(self, text: SearchedText | None = None) -> Spans:
        """Where it is.

        Parameters
        ----------
        text : has the layers of the query; by default, they are made.

        Raises
        ------
        NotReadyError : a layer is being made.
        QueryError : the query cannot be used.
        """
        query = self.query

        def find() -> Spans:
            if query is None:
                return find_plain(self.lines(), self.typed, self.way, ignores_spaces=self.is_loose)
            return (text or self.layered(query.layers)).find(query, _QUERY_SECONDS)

        return remember("search.spans", self.key, find, 2, waiting=t("search.searching"))

    def words(self) -> np.ndarray:
        """int64[n_lines]: eojeols of every line."""

        def count() -> np.ndarray:
            return np.array([len(line.split()) for line in self.lines()], dtype=np.int64)

        return remember("search.words", self.digest, count, 2)

    def groups(self) -> tuple[str, ...]:
        """The part that each file is in, by the column that was chosen."""
        columns = columns_of(self.text)
        names = {name: plain(column_title(name)) for name in columns}
        by = url_choice("by", t("search.by"), names, columns[0]) if len(columns) > 1 else columns[0]
        titles = value_titles(self.text, by)
        return tuple(titles[value] for value in self.text.files().columns[by])


def take_linked_search() -> None:
    """Adopt what a link of another page asks for: within a session, the controls would not look at the URL again."""
    if follow_link("view", "files", "q", "unit", "cut", "match"):
        set_where("where", [])
        st.session_state["cuts"] = st.query_params.get("cuts") == "true"


@contextmanager
def problems_shown(view: Layout) -> Iterator[None]:
    """Says in the picture's place why a search has no hits; while something is prepared, nothing more."""
    try:
        yield
    except NotReadyError:
        return
    except KernelsNotReadyError:
        with view.picture:
            render_preparing()
    except QueryError as error:
        view.picture.warning(plain(reason(error)), icon=":material/manage_search:")
        view.picture.code(error.pointed, language=None)
    except InputError as error:
        view.picture.warning(plain(reason(error)), icon=":material/manage_search:")


def choose_search(view: Layout, *, is_filter: bool = False) -> Search:
    """The line at the top and the settings; while there is nothing to search, the page ends here and says why.

    Parameters
    ----------
    is_filter : what is typed only limits a list.
    """
    with view.topic:
        corpus, field, unit_place = st.columns([6.9, 3.1, 5.5], vertical_alignment="center")
        with corpus:
            text = choose_corpus()
        with field:
            typed = _field(t("search.filter") if is_filter else t("search.query"), not is_filter)
        with unit_place:
            unit = choose_layer()
    if not is_filter and not figure_alone():
        with view.picture:
            _render_examples()
    if text is None:
        view.picture.info(t("search.no_corpus"), icon=":material/link_off:")
        st.stop()
    with view.settings(t("search.settings")):
        if not is_filter:
            st.caption(t("search.query_help"))
        is_plain = not is_query(typed)
        way, is_loose = WAYS[0], False
        if is_plain:
            way = url_choice("match", t("search.match"), {name: t(f"search.match_{name}") for name in WAYS}, WAYS[0])
            is_loose = unit == WORDS and url_toggle(_LOOSE, t("search.loose"), t("search.loose_help"))
        active = choose_tokenizer()
        where = url_where("where", text, "", t("search.where"), t("search.where_help"))
        needs_analyser = unit == MORPHEMES or (not is_plain and any(name in typed for name in ("form", "tag", "lemma")))
        analyser = (analyser_choice() or "") if needs_analyser and installed_analysers() else ""
    if analyser and not is_ready(analyser):
        st.stop()
    try:
        files = choose_files(text, where)
    except InputError as error:
        view.picture.warning(plain(reason(error)), icon=":material/folder_off:")
        st.stop()
    note_models([active] if unit == TOKENS or not is_filter else [])
    step = max(1, -(-text.n_chars // MAX_CHARS)) if analyser else 1
    return Search(text, typed, unit, way, is_loose, active, analyser, files, said_of_where(text, where), step)


def typed_word() -> str:
    """What is typed, if it is a plain word."""
    return "" if is_query(_QUERY.value) else _QUERY.value.strip()


def _field(label: str, has_example: bool) -> str:
    _QUERY.adopt()
    typed = st.text_input(
        label,
        key=_QUERY.key,
        max_chars=_MAX_QUERY,
        persist_state="session",
        placeholder=_FIRST if has_example else None,
        label_visibility="collapsed",
        icon=":material/search:",
    )
    _QUERY.publish(typed or "")
    return (typed or "").strip() or _FIRST


def _render_examples() -> None:
    """What can be typed; and the other forms of a particle or an ending that was."""
    both = "|".join(one.text for one in allomorphs(_QUERY.value.strip()))
    names = {typed: typed for typed in (*[both] * bool(both), *_EXAMPLES)}
    current = _QUERY.value.strip() or _FIRST

    def use(typed: str) -> None:
        if typed in _EXAMPLES:
            _take(typed, *_EXAMPLES[typed])
        else:
            _QUERY.set(typed)

    example_choice("search.example", names, use, current if current in names else None)


def search_for(query: str, unit: str, conditions: list[str]) -> None:
    """Show the lines of a query in the files that meet the conditions; for callbacks."""
    _take(query, unit, is_loose=False)
    set_where("where", conditions)
    set_choice("view", "concordance")


def _take(typed: str, unit: str, is_loose: bool) -> None:
    _QUERY.set(typed)
    set_choice("unit", unit)
    st.session_state[_LOOSE] = is_loose
