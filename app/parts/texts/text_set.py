"""Choosing several texts to measure: built-in ones and the session's own; `texts=` in the URL."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from app.parts.problem import reason
from app.parts.texts.upload import render_dropped
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import read_text_file
from app.session import state
from app.session.own_texts import held_texts, is_own_id, publish_own_texts
from app.session.titles import text_title
from app.session.url import UrlValue
from app.texts.corpora import Text, held_digest
from app.texts.i18n import t
from app.texts.measured import builtin_text, builtin_texts
from app.texts.plain import plain
from engine.corpus.reading.lines import with_line_feeds
from engine.errors import InputError

MAX_TEXTS = 8
_CHOSEN, _FILE, _PASTED, _SEEN = "texts.chosen", "texts.file", "texts.pasted", "texts.seen"
_MAX_PASTED = 200_000


def language_name(code: str) -> str:
    return t(f"corpora.multi.{code}") if code != "ko" else t("fertility.korean")


def text_name(id_: str) -> str:
    collection, _, part = id_.partition(".")
    if collection == "parallel":
        return t("fertility.parallel_text", name=language_name(part))
    return t(f"corpora.{collection}.{part}")


def render_text_set(default: tuple[str, ...]) -> list[Text]:
    """The controls, and the selected texts."""
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    # First, so that an added text is already among the names.
    with right, st.popover(t("fertility.own"), icon=":material/upload_file:", width="stretch", key="texts.own"):
        _add()
    render_dropped(held_texts())
    own = {source.id: source for source in held_texts().values()}
    names = {id_: text_name(id_) for id_ in builtin_texts()}
    names |= _distinct({id_: source.name or t("model.own_text") for id_, source in own.items()})
    url = UrlValue("texts", _CHOSEN, lambda word: word.split(","), ",".join, list(default))
    missing = {id_ for id_ in url.adopt() if id_ not in names and is_own_id(id_)}
    names |= {id_: t("own_text.not_here", name=text_title(id_, None)) for id_ in missing}
    url.set([id_ for id_ in url.value if id_ in names])
    with left:
        chosen = st.multiselect(
            t("fertility.texts"),
            list(names),
            format_func=names.__getitem__,
            key=url.key,
            max_selections=MAX_TEXTS,
            persist_state="session",
            placeholder=t("fertility.texts_none"),
        )
    url.publish(list(chosen))
    publish_own_texts()
    here = [id_ for id_ in chosen if id_ not in missing]
    return [replace(own[id_] if id_ in own else builtin_text(id_), name=names[id_]) for id_ in here]


def _distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Names of texts by id; duplicates are followed by the first digits of the text's hash."""
    times = Counter(names.values())
    return {id_: name if times[name] == 1 else f"{name} ({held_digest(id_)[:4]})" for id_, name in names.items()}


def _add() -> None:
    """Add a file or pasted text to the list, and select it."""
    files = st.file_uploader(t("fertility.file"), type=["txt"], key=_FILE, accept_multiple_files=True)
    for file in files or []:
        seen: set[str] = st.session_state.setdefault(_SEEN, set())
        if file.file_id in seen:
            continue
        seen.add(file.file_id)
        try:
            _take(with_line_feeds(read_text_file(file.getvalue(), state.visitor())), file.name)
        except InputError as error:
            st.error(plain(f"{file.name}: {reason(error)}"))
    pasted = st.text_area(t("fertility.paste"), key=_PASTED, height=140, max_chars=_MAX_PASTED)
    if st.button(t("fertility.paste_add"), key="texts.add", disabled=not (pasted or "").strip()):
        _take(pasted or "", "")
        st.rerun()
    st.caption(t("train.corpus.private"))


def _take(text: str, name: str) -> None:
    source = checked_text(text, name)
    hold(source, held_texts())
    chosen = [id_ for id_ in st.session_state.get(_CHOSEN, []) if id_ != source.id]
    st.session_state[_CHOSEN] = [*chosen, source.id][-MAX_TEXTS:]
