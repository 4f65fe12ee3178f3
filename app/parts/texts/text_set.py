"""Choosing several texts to measure: built-in ones and the session's own; `texts=` in the URL."""

from dataclasses import replace

import streamlit as st

from app.parts.choices import url_several
from app.parts.texts.corpus_choice import choose, chosen_corpus, own_titles, read_own_corpora, render_own_corpora
from app.parts.texts.upload import render_dropped
from app.session.own_texts import CHOSEN_TEXTS, held_texts, is_own_id, publish_own_texts
from app.session.titles import text_title
from app.session.url import UrlValue
from app.texts.corpora import Text, builtin_text, builtin_texts
from app.texts.i18n import t

MAX_TEXTS = 8
_OFFERED = "texts.offered"  # the corpus of one's own that was selected by itself


def language_name(code: str) -> str:
    return t(f"corpora.multi.{code}") if code != "ko" else t("fertility.korean")


def text_name(id_: str) -> str:
    collection, _, part = id_.partition(".")
    if collection == "parallel":
        return t("fertility.parallel_text", name=language_name(part))
    return t(f"corpora.{collection}.{part}")


def render_text_set(default: tuple[str, ...]) -> list[Text]:
    """The controls, and the selected texts; a corpus of the visitor's own is one of them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        left, right = st.container(), st.container(width="content")
    seen = read_own_corpora(_take)
    render_dropped(held_texts())
    own = held_texts()
    names = {id_: text_name(id_) for id_ in builtin_texts()} | own_titles()
    url = UrlValue("texts", CHOSEN_TEXTS, lambda word: word.split(","), ",".join, list(default))
    missing = {id_ for id_ in url.adopt() if id_ not in names and is_own_id(id_)}
    names |= {id_: t("own_text.not_here", name=text_title(id_, None)) for id_ in missing}
    url.set([id_ for id_ in url.value if id_ in names])
    if chosen_corpus() in own and st.session_state.get(_OFFERED) != chosen_corpus():
        _take(chosen_corpus())
    with left:
        chosen = url_several(url, t("fertility.texts"), names, MAX_TEXTS, placeholder=t("fertility.texts_none"))
    with right:
        render_own_corpora(seen)
    publish_own_texts()
    here = [id_ for id_ in chosen if id_ not in missing]
    return [replace(own[id_] if id_ in own else builtin_text(id_), name=names[id_]) for id_ in here]


def _take(id_: str) -> None:
    """Select a new text, which is now the corpus of other pages too."""
    choose(id_)
    st.session_state[_OFFERED] = id_
    chosen = [other for other in st.session_state.get(CHOSEN_TEXTS, []) if other != id_]
    st.session_state[CHOSEN_TEXTS] = [*chosen, id_][-MAX_TEXTS:]
