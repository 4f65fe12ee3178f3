"""A small corpus to step through: one of the lessons' own, or words that the visitor writes."""

import streamlit as st

from app import state
from app.corpora import builtin_source
from app.i18n import t
from app.text import plain
from engine.errors import InputError
from engine.lessons.toy_corpus import read_toy_corpus

# Files of assets/corpora/toy, each the corpus of a lesson.
LESSONS = ("low_slides", "low_lesson", "low_textbook", "hug")
_KOREAN = "먹다:5 먹고:4 먹어:3 막다:2 막고:2 먹이:1"
_UNAFFABLE = "unaffable:2 unable:4 affable:3 table:5 cable:3 quiet:6 quick:4 the:9 this:5 thin:3"


def lesson_words(name: str) -> str:
    """The words of a lesson as one line: `low:5 lowest:2`."""
    counts = read_toy_corpus(builtin_source("toy", (name,)).read())
    return " ".join(f"{word}:{count}" for word, count in counts.items())


def presets() -> dict[str, str]:
    """Words by the name of their preset."""
    return {**{name: lesson_words(name) for name in LESSONS}, "korean": _KOREAN, "unaffable": _UNAFFABLE}


def _use(key: str, words: str) -> None:
    st.session_state[key] = words


def render_toy_words(page: str, default: str) -> dict[str, int]:
    """The field and its presets; `words` in the URL. Stops the page with the reason where there are no words to use."""
    key = f"{page}.words"
    known = presets()
    state.adopt("words", key, state.unpack_text)
    st.session_state.setdefault(key, known[default])
    written = st.text_area(t("toy.words"), key=key, height=80, help=t("toy.words_help"), persist_state="session") or ""
    with st.container(horizontal=True, gap="xsmall", key=f"{page}.presets"):
        for name, words in known.items():
            st.button(t(f"toy.preset.{name}"), key=f"{page}.preset.{name}", on_click=_use, args=(key, words))
    state.publish("words", None if written == known[default] else state.pack_text(written))
    for name, words in known.items():
        if written == words:
            st.caption(t(f"toy.about.{name}"))
    try:
        return read_toy_corpus(written)
    except InputError as error:
        st.warning(t("toy.refused"), icon=":material/edit:")
        st.text(plain(str(error)))
        st.stop()
