"""The visitor's user dictionary for the analysers: uploaded once, used wherever a text's morphemes are shown."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.parts.problem import show_problem
from app.parts.texts.upload import Upload, render_file_field, upload_key
from app.server.remember import remember
from app.server.work.reading import analyse_with_dictionary, read_text_file
from app.session import state
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.morphemes.analysers import ANALYSERS, best_analyses, text_morphemes
from engine.corpus.morphemes.morpheme import Morpheme, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import UserDictionary, parse_user_dictionary
from engine.corpus.reading.lines import split_lines
from engine.errors import InputError

_FILE = "morpheme.dictionary"
_Lines = tuple[str, ...]  # of a dictionary, not yet read for an analyser


def render_own_dictionary(analyser: str) -> None:
    """The field for the file, and what is in use."""
    with st.popover(t("morpheme.dictionary.button"), icon=":material/dictionary:", key="morpheme.dictionary.form"):
        try:
            label, help_text = t("morpheme.dictionary.file"), t("morpheme.dictionary.help")
            upload = render_file_field(label, _FILE, _read, help=help_text)
            if upload is not None:
                count = len(_dictionary_of(upload.content, analyser).words)
                st.caption(t("morpheme.dictionary.active", name=plain(upload.name), count=count))
        except InputError as error:
            show_problem(t("morpheme.dictionary.refused"), error)


def _read(files: Sequence[UploadedFile]) -> _Lines:
    return tuple(split_lines(read_text_file(files[0].getvalue(), state.visitor())))


def _dictionary_of(lines: _Lines, analyser: str) -> UserDictionary:
    tags = ANALYSERS[analyser].user_tags
    return remember("dictionary", (lines, analyser), lambda: parse_user_dictionary(lines, tags))


def own_dictionary(analyser: str) -> UserDictionary | None:
    """The visitor's dictionary; None if there is none that fits this one of ANALYSERS."""
    upload: Upload[_Lines | InputError] | None = st.session_state.get(upload_key(_FILE))
    if upload is None or isinstance(upload.content, InputError):
        return None
    try:
        return _dictionary_of(upload.content, analyser)
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
