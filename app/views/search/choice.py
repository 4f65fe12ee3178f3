"""What is compared: a corpus of files, its sub-corpora, and what is counted in them."""

from collections.abc import Hashable
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.parts.choices import url_choice, url_select
from app.parts.layout import Layout
from app.parts.problem import reason
from app.parts.texts.subcorpus import choose_files, columns_of, url_values, url_where, value_titles
from app.parts.tokenizers.active_model import active_tokenizer
from app.parts.tokenizers.tokenizer_set import all_titles, ready_references
from app.parts.tokens.morpheme_layer import analyser_choice, is_ready
from app.session.models import ActiveTokenizer
from app.session.reference import parse_reference
from app.session.titles import SAVED, column_title
from app.session.url import UrlValue
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.search.tables import MORPHEMES, TOKENS, WORDS, Unit, words_of
from engine.errors import InputError
from engine.measure.corpus_units import LineUnits, line_units

_MAX_GROUPS = 4
_FIRST = {"register": ("chat", "news")}
# An analyser reads this many characters in a minute or so; of a longer corpus, every k-th line.
MAX_CHARS = 3_000_000

_TOKENIZER = UrlValue("cut", "search.cut", lambda text: text if parse_reference(text) else None, str, "")


class Chosen(NamedTuple):
    """The sub-corpora.

    Attributes
    ----------
    text : the corpus.
    groups : indices of files by the title of the sub-corpus, two or more.
    conditions : what its files have to meet, by the title of the sub-corpus, as `url_where` keeps it.
    """

    text: Text
    groups: dict[str, tuple[int, ...]]
    conditions: dict[str, list[str]]


class ChosenUnit(NamedTuple):
    """What is counted: how, its key, and the tokenizer; every `step`-th line."""

    unit: Unit
    key: Hashable
    active: ActiveTokenizer | None
    step: int = 1

    def count_lines(self, lines: list[str]) -> LineUnits:
        """Count the lines of one file."""
        some = [line if k % self.step == 0 else "" for k, line in enumerate(lines)]
        return line_units(self.unit.name, some, self.unit.tokenizer, words_of(lines), self.unit.analyser)


def choose_groups(view: Layout, place: DeltaGenerator, text: Text) -> Chosen | None:
    """The sub-corpora, chosen in a place; None, and why, if there is nothing to compare."""
    columns = [*columns_of(text), *[SAVED] * bool(value_titles(text, SAVED))]
    by = url_choice("by", t("search.by"), {name: plain(column_title(name)) for name in columns}, columns[0])
    where = url_where("where", text, by, t("search.where"), t("search.where_help"))
    titles = value_titles(text, by)
    with place:
        default = [value for value in _FIRST.get(by, ()) if value in titles]
        values = list(titles)
        names = url_values("parts", text, by, t("search.parts"), default or values[:2], _MAX_GROUPS)
    try:
        others = [f"{column}={value}" for column, own in where.items() for value in own]
        conditions = {titles[name]: [f"{by}={name}", *others] for name in names}
        return Chosen(text, _groups(text, by, names, where), conditions) if names else None
    except InputError as error:
        with view.picture:
            st.warning(plain(reason(error)), icon=":material/folder_off:")
        st.stop()


def _groups(text: Text, by: str, names: list[str], where: dict[str, list[str]]) -> dict[str, tuple[int, ...]]:
    files, titles = text.files(), value_titles(text, by)
    groups = {titles[name]: choose_files(text, {**where, by: [name]}) for name in names}
    if len(set().union(*groups.values())) < sum(map(len, groups.values())):
        raise InputError("files.overlap")
    if len(groups) == 1:
        allowed = set(choose_files(text, where))
        rest = tuple(i for i in files.rest(next(iter(groups.values()))) if i in allowed)
        if not rest:
            raise InputError("files.no_rest")
        groups[t("search.rest")] = rest
    return groups


def choose_layer() -> str:
    """What is looked for or counted: words, morphemes or tokens."""
    names = {name: t(f"search.of.{name}") for name in (WORDS, MORPHEMES, TOKENS)}
    return url_choice("unit", t("search.unit"), names, WORDS, label_visibility="collapsed")


def choose_unit(text: Text, name: str) -> ChosenUnit | None:
    """How they are counted; None while it is not ready."""
    if name == WORDS:
        return ChosenUnit(Unit(WORDS), (WORDS,), None)
    if name == MORPHEMES:
        analyser = analyser_choice()
        if analyser is None or not is_ready(analyser):
            return None
        step = -(-text.n_chars // MAX_CHARS)
        if step > 1:
            st.caption(t("search.every", step=step))
        return ChosenUnit(Unit(MORPHEMES, analyser=analyser), (MORPHEMES, analyser, step), None, step)
    active = choose_tokenizer()
    return ChosenUnit(Unit(TOKENS, active.model), (TOKENS, active.sha256), active)


def choose_tokenizer() -> ActiveTokenizer:
    """Whose tokens are meant: the current model, or another."""
    active = active_tokenizer()
    titles = {"": t("search.current", name=active.title), **all_titles()}
    titles.pop(str(active.reference), None)
    if _TOKENIZER.adopt() not in titles:
        _TOKENIZER.set("")
    chosen = url_select(_TOKENIZER, t("search.tokenizer"), titles)
    reference = parse_reference(chosen) if chosen else None
    found = ready_references([reference]) if reference is not None else []
    return found[0] if found else active
