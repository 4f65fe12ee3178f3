"""Choosing sub-corpora of a text by what is known of its files."""

from collections.abc import Sequence

import streamlit as st

from app.session import state
from app.session.titles import column_title, titled_files
from app.session.url import UrlValue
from app.texts.corpora import Text
from app.texts.i18n import t
from engine.corpus.files import FILE
from engine.pictures.showable import showable

_MAX_VALUES = 40  # that a link names


def columns_of(text: Text) -> list[str]:
    """The columns by which sub-corpora can be chosen, at least one."""
    files = text.files()
    telling = [column for column, values in files.telling.items() if len(set(values)) > 1]
    return telling if telling and text.is_builtin else [*telling, FILE]


def value_titles(text: Text, column: str) -> dict[str, str]:
    """Distinct values of a column, with their titles."""
    own, titled = text.files(), titled_files(text)
    if text.is_builtin and column == "register":
        return dict(zip(own.columns[column], titled.names, strict=True))
    if text.is_builtin and column == "collection":
        return {value: t(f"corpora.{value}.title") for value in own.values(column)}
    return {value: showable(value) or t("files.unknown") for value in own.values(column)}


def url_values(param: str, text: Text, column: str, label: str, default: Sequence[str], limit: int) -> list[str]:
    """Some values of a column, as `param=<value>` lines in the URL unless they are the default."""
    titles = value_titles(text, column)
    url = _url(param, column, default)
    url.set([value for value in url.adopt() if value in titles][:limit])
    chosen = st.multiselect(
        label,
        list(titles),
        format_func=_different(titles).__getitem__,
        key=url.key,
        max_selections=limit,
        persist_state="session",
        placeholder=t("frame.choose"),
        label_visibility="collapsed",
    )
    url.publish(list(chosen))
    return list(chosen)


def set_where(param: str, conditions: list[str]) -> None:
    """Choose what `url_where` asks for, each as `<column>=<value>`; for callbacks."""
    _url(param, "", ()).set(conditions)


def url_where(param: str, text: Text, without: str, label: str, help_text: str) -> dict[str, list[str]]:
    """Conditions on the other columns, as `CorpusFiles.choose` takes them; empty where there are none."""
    titles = {
        f"{column}={value}": f"{column_title(column)}: {title}"
        for column in columns_of(text)
        if column != without
        for value, title in value_titles(text, column).items()
    }
    if not titles:
        return {}
    url = _url(param, "", ())
    url.set([value for value in url.adopt() if value in titles])
    chosen = st.multiselect(
        label,
        list(titles),
        format_func=_different(titles).__getitem__,
        key=url.key,
        max_selections=_MAX_VALUES,
        persist_state="session",
        placeholder=t("frame.choose"),
        help=help_text,
    )
    url.publish(list(chosen))
    where: dict[str, list[str]] = {}
    for one in chosen:
        column, _, value = one.partition("=")
        where.setdefault(column, []).append(value)
    return where


def _url(param: str, of: str, default: Sequence[str]) -> UrlValue[list[str]]:
    return UrlValue(
        param,
        f"subcorpus.{param}.{of}",
        lambda packed: (state.unpack_text(packed) or "").split("\n")[:_MAX_VALUES],
        lambda values: state.pack_text("\n".join(values)),
        list(default),
    )


def _different(titles: dict[str, str]) -> dict[str, str]:
    """Titles of which no two are the same: Streamlit identifies options by title alone."""
    seen: dict[str, int] = {}
    found = {}
    for value, title in titles.items():
        seen[title] = seen.get(title, 0) + 1
        found[value] = title if seen[title] == 1 else f"{title} ({seen[title]})"
    return found
