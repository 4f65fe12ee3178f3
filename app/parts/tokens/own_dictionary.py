"""The visitor's user dictionary for the analysers: uploaded once, used wherever a text's morphemes are shown."""

from typing import NamedTuple

import streamlit as st

from app.parts.problem import show_problem
from app.server.work.reading import analyse_with_dictionary, read_text_file
from app.session import state
from app.session.kept import kept
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.morphemes.analysers import ANALYSERS, best_analyses, text_morphemes
from engine.corpus.morphemes.morpheme import Morpheme, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import UserDictionary, parse_user_dictionary
from engine.corpus.reading.lines import split_lines
from engine.errors import InputError

_FILE, _SEEN, _HELD = "morpheme.dictionary", "morpheme.dictionary_seen", "morpheme.dictionary_held"


class _File(NamedTuple):
    """An uploaded dictionary, not yet read for an analyser."""

    name: str
    lines: tuple[str, ...]


def render_own_dictionary(analyser: str) -> None:
    """The field for the file, and what is in use."""
    with st.popover(t("morpheme.dictionary.button"), icon=":material/dictionary:"):
        file = st.file_uploader(t("morpheme.dictionary.file"), key=_FILE, help=t("morpheme.dictionary.help"))
        if file is not None and st.session_state.get(_SEEN) != file.file_id:
            st.session_state[_SEEN] = file.file_id
            try:
                lines = split_lines(read_text_file(file.getvalue(), state.visitor()))
                st.session_state[_HELD] = _File(file.name, tuple(lines))
            except InputError as error:
                show_problem(t("morpheme.dictionary.refused"), error)
        held: _File | None = st.session_state.get(_HELD)
        if held is None:
            return
        try:
            count = len(_dictionary_of(held, analyser).words)
            st.caption(t("morpheme.dictionary.active", name=plain(held.name), count=count))
        except InputError as error:
            show_problem(t("morpheme.dictionary.refused"), error)
        st.button(t("morpheme.dictionary.remove"), key="morpheme.dictionary_remove", on_click=_remove)


def _remove() -> None:
    st.session_state.pop(_HELD, None)


def _dictionary_of(held: _File, analyser: str) -> UserDictionary:
    tags = ANALYSERS[analyser].user_tags
    return kept("dictionary", (held, analyser), lambda: parse_user_dictionary(held.lines, tags))


def own_dictionary(analyser: str) -> UserDictionary | None:
    """The visitor's dictionary; None if there is none that fits this one of ANALYSERS."""
    held: _File | None = st.session_state.get(_HELD)
    try:
        return None if held is None else _dictionary_of(held, analyser)
    except InputError:  # the field says why
        return None


def own_morphemes(text: str, analyser: str) -> list[Morpheme]:
    """The morphemes of a text, with the visitor's dictionary if there is one.

    Raises
    ------
    InputError : the analyser refuses the dictionary, or the worker that uses it was stopped.
    """
    dictionary = own_dictionary(analyser)
    if dictionary is None:
        return text_morphemes(text, analyser)
    with st.spinner(t("morpheme.dictionary.analysing")):
        return analyse_with_dictionary(text, analyser, dictionary, 1, state.visitor())[0].morphemes


def own_analyses(line: str, analyser: str, limit: int) -> list[ScoredAnalysis]:
    """Several analyses of one line, with the visitor's dictionary if there is one; raises as `own_morphemes`."""
    dictionary = own_dictionary(analyser)
    if dictionary is None:
        return best_analyses(line, analyser, limit)
    with st.spinner(t("morpheme.dictionary.analysing")):
        return analyse_with_dictionary(line, analyser, dictionary, limit, state.visitor())
