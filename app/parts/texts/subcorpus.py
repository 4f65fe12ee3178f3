"""Choosing sub-corpora of a text by what is known of its files, and saving them by name."""

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from app.parts.choices import url_several
from app.session import state
from app.session.titles import SAVED, column_title, titled_files
from app.session.url import UrlValue
from app.texts.corpora import Text
from app.texts.i18n import t
from engine.corpus.files import FILE, said_of
from engine.errors import InputError
from engine.pictures.showable import showable

_MAX_VALUES = 40  # that a link names
_MAX_SAVED, _MAX_NAME = 10, 40
_NAMES = "subcorpus.names"


def _parse_saved(packed: str) -> dict[str, list[str]]:
    lines = (line.split("\t") for line in (state.unpack_text(packed) or "").split("\n")[:_MAX_SAVED])
    return {name[:_MAX_NAME]: conditions for name, *conditions in lines if name and conditions}


# The conditions of each saved sub-corpus, as `<column>=<value>`, by its name.
_SAVED: UrlValue[dict[str, list[str]]] = UrlValue(
    "saved",
    "subcorpus.saved",
    _parse_saved,
    lambda saved: state.pack_text("\n".join("\t".join([name, *conditions]) for name, conditions in saved.items())),
    {},
)


def columns_of(text: Text) -> list[str]:
    """The columns by which sub-corpora can be chosen, at least one."""
    files = text.files()
    telling = [column for column, values in files.telling.items() if len(set(values)) > 1]
    return telling if telling and text.is_builtin else [*telling, FILE]


def value_titles(text: Text, column: str) -> dict[str, str]:
    """Distinct values of a column, with their titles; of SAVED, the names of those that this text has."""
    if column == SAVED:
        known = {f"{name}={value}" for name in columns_of(text) for value in text.files().values(name)}
        return {name: showable(name) for name, own in _SAVED.adopt().items() if known.issuperset(own)}
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
    return url_several(url, label, _different(titles), limit, is_alone=True)


def set_where(param: str, conditions: list[str]) -> None:
    """Choose what `url_where` asks for, each as `<column>=<value>`; for callbacks."""
    _url(param, "", ()).set(conditions)


def url_where(param: str, text: Text, without: str, label: str, help_text: str) -> dict[str, list[str]]:
    """Conditions on the other columns, as `choose_files` takes them, which can be saved; empty where there are none."""
    titles = {
        f"{column}={value}": f"{column_title(column)}: {title}"
        for column in (*columns_of(text), SAVED)
        if column != without
        for value, title in value_titles(text, column).items()
    }
    if not titles:
        _save([])
        return {}
    url = _url(param, "", ())
    url.set([value for value in url.adopt() if value in titles])
    chosen = url_several(url, label, _different(titles), _MAX_VALUES, help_text)
    where = _by_column(chosen)
    _save(chosen if SAVED not in where else [])
    return where


def said_of_where(text: Text, where: Mapping[str, list[str]]) -> str:
    """The conditions of `url_where`, with their titles."""
    titles = {column: value_titles(text, column) for column in where}
    return ", ".join(f"{column_title(column)}: {titles[column][value]}" for column in where for value in where[column])


def _save(conditions: list[str]) -> None:
    """The names of the saved sub-corpora: a new one stands for the conditions, one that is removed is forgotten."""
    saved = _SAVED.value

    def take() -> None:
        names = [" ".join(name.split())[:_MAX_NAME] for name in st.session_state[_NAMES]]
        _SAVED.set({name: saved.get(name, conditions) for name in names if name in saved or conditions})

    if saved or conditions:
        st.session_state[_NAMES] = [*saved]
        st.multiselect(
            t("search.saved"),
            [*saved],
            key=_NAMES,
            max_selections=_MAX_SAVED,
            accept_new_options=True,
            on_change=take,
            placeholder=t("search.saved_name"),
            help=t("search.saved_help"),
        )
    _SAVED.publish(saved)


def choose_files(text: Text, where: Mapping[str, list[str]]) -> tuple[int, ...]:
    """Indices of the files that meet the conditions of `url_where`, those of one of the saved sub-corpora included.

    Raises
    ------
    InputError : no file meets them.
    """
    files = text.files()
    chosen = files.choose({column: values for column, values in where.items() if column != SAVED})
    if SAVED in where:
        parts = [files.choose(_by_column(_SAVED.value[name])) for name in where[SAVED]]
        chosen = tuple(i for i in chosen if any(i in part for part in parts))
        if not chosen:
            raise InputError("files.none", where=said_of({column_title(name): own for name, own in where.items()}))
    return chosen


def _by_column(conditions: Iterable[str]) -> dict[str, list[str]]:
    where: dict[str, list[str]] = {}
    for condition in conditions:
        column, _, value = condition.partition("=")
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
