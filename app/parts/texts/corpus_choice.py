"""The corpus that pages train on, search and measure: a built-in one or the visitor's own, chosen once for all of them.

A visitor's own comes from files, a folder, archives, tables or a field, and stays until its button removes it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.parts.problem import reason, show_problem
from app.parts.texts.upload import render_dropped
from app.server.limits import check_size, limits
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import read_corpus_files
from app.session import state
from app.session.own_texts import held_texts, is_own_id, publish_own_texts, remove_text
from app.session.titles import column_title, text_title
from app.session.url import UrlValue
from app.texts.corpora import ALL, Text, held_digest, joined_name
from app.texts.i18n import t
from app.texts.mixture import find_text
from app.texts.plain import plain
from engine.corpus.joined import JoinedFiles, Reading, ReadTable
from engine.corpus.reading.encodings import ENCODINGS
from engine.corpus.reading.tables import USUAL_NAMES
from engine.errors import InputError
from engine.pictures.showable import showable

BUILTIN = ("ko", "multi", "web", ALL)
FILE = "corpus.file"
_FOLDER, _ENCODING, _COLUMN, _PATTERN = "corpus.folder", "corpus.encoding", "corpus.column", "corpus.pattern"
_PLACE, _PASTED, _PASTE, _SEEN = "corpus.own", "corpus.pasted", "corpus.paste_add", "corpus.seen"
_MAX_PASTED, _MAX_PATTERN = 1_000_000, 100
_PREVIEW_ROWS, _MAX_ROWS, _MAX_REFUSED = 5, 7, 10

_CORPUS = UrlValue("files", "corpus.id", str, str, BUILTIN[0])


class _Seen(NamedTuple):
    """The files in the field, read once.

    Attributes
    ----------
    key : the files, and how they are read.
    joined : without its text; or why they were refused.
    """

    key: tuple[object, ...]
    joined: JoinedFiles | InputError

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to say, and the columns of the texts are plain."""
        joined = self.joined
        if isinstance(joined, InputError) or joined.refused or joined.odd:
            return False
        return all(
            len(table.choices) < 2 or table.column.strip().lower() in USUAL_NAMES for table in joined.tables.values()
        )


def choose_corpus(is_linked: bool = True) -> Text | None:
    """A list of corpora, and a field for the visitor's own; None if the text of a link is not here.

    Parameters
    ----------
    is_linked : the URL names the corpus; otherwise something else in it does.
    """
    if is_linked:
        _CORPUS.adopt()
    else:
        state.keep(_CORPUS.key)
    with st.container(horizontal=True):
        left, right = st.container(), st.container(width="content")
    seen = read_own_corpora(choose)
    titles = corpus_titles([_CORPUS.value])
    if _CORPUS.value not in titles:
        choose(_CORPUS.default)
    with left:
        chosen = str(
            st.selectbox(
                t("corpus.label"),
                list(titles),
                format_func=titles.__getitem__,
                key=_CORPUS.key,
                persist_state="session",
                label_visibility="collapsed",
            )
        )
    with right:
        render_own_corpora(seen)
    if is_linked:
        _CORPUS.publish(chosen)
        publish_own_texts()
    render_dropped(held_texts())
    return find_text(chosen, held_texts())


def choose(source_id: str) -> None:
    _CORPUS.set(source_id)


def chosen_corpus() -> str:
    return _CORPUS.value


def corpus_title() -> str:
    """What the corpus is called, before it is drawn."""
    return corpus_titles([_CORPUS.adopt()]).get(_CORPUS.value, "")


def corpus_titles(more: Iterable[str] = ()) -> dict[str, str]:
    """The built-in collections, the visitor's own and more by id, those that a link names and are not here included."""
    held = held_texts()
    titles = {name: t(f"corpora.{name}.title") for name in BUILTIN} | own_titles()
    for id_ in more:
        if is_own_id(id_) and id_ not in titles:
            titles[id_] = t("own_text.not_here", name=text_title(id_, None))
        elif id_ not in titles and find_text(id_, held) is not None:
            titles[id_] = text_title(id_, None)
    return titles


def own_titles() -> dict[str, str]:
    """The visitor's own texts by id; those with the same name are told apart by their hash."""
    names = {id_: text_title(id_, source) for id_, source in held_texts().items()}
    times = Counter(names.values())
    return {id_: name if times[name] == 1 else f"{name} ({held_digest(id_)[:4]})" for id_, name in names.items()}


def read_own_corpora(add: Callable[[str], None]) -> _Seen | None:
    """What came of the files in the field of `render_own_corpora`; None if it is empty. `add` gets a new corpus's id.

    The list of corpora is drawn in between: it has a new one then, and the browser knows that this is chosen before it
    says that files were read. What a visitor did next would take the choice back.
    """
    pasted = st.session_state.get(_PASTED) or ""
    if st.session_state.get(_PASTE) and pasted.strip():
        _hold(checked_text(pasted), add)
        st.session_state[_PLACE] = False
    # Without those that were uploaded to a process that has died.
    given = [file for file in st.session_state.get(FILE) or [] if isinstance(file, UploadedFile)]
    if not given:
        return None
    files = sorted(given, key=lambda file: file.name)
    seen = _seen(files)
    if seen is None:
        seen = _read(files, {}, add)
        st.session_state[_PLACE] = not seen.is_plain
    if isinstance(seen.joined, InputError):
        return seen
    columns = {name: _chosen_column(i, table) for i, (name, table) in enumerate(seen.joined.tables.items())}
    is_as_read = columns == {name: table.column for name, table in seen.joined.tables.items()}
    return seen if is_as_read else _read(files, columns, add)


def render_own_corpora(seen: _Seen | None) -> None:
    """The fields for a corpus of one's own, what came of the files in them, and what there is.

    They close when files were read without remarks, or a text was pasted.
    """
    with st.popover(t("corpus.own"), icon=":material/upload_file:", key=_PLACE, on_change="rerun"):
        is_folder = st.toggle(t("corpus.is_folder"), key=_FOLDER, persist_state="session")
        st.file_uploader(
            t("corpus.file"),
            key=FILE,
            accept_multiple_files="directory" if is_folder else True,
            max_upload_size=limits().upload_mb,
            help=t("corpus.file_help"),
        )
        try:
            if seen is not None:
                _render_files(seen)
        except InputError as error:
            show_problem(t("corpus.refused"), error)
        with st.expander(t("corpus.paste"), icon=":material/edit:"):
            st.text_area(t("corpus.paste"), key=_PASTED, height=140, max_chars=_MAX_PASTED)
            st.button(t("corpus.paste_add"), key=_PASTE)
        st.caption(t("corpus.private"))
        for id_, source in list(held_texts().items()):
            label = plain(t("corpus.remove", name=source.name or t("model.own_text")))
            st.button(label, key=f"corpus.remove.{id_}", icon=":material/close:", on_click=_remove, args=(id_,))


def _hold(source: Text, add: Callable[[str], None]) -> None:
    hold(source, held_texts())
    add(source.id)


def _remove(id_: str) -> None:
    remove_text(id_)
    if _CORPUS.value == id_:
        choose(_CORPUS.default)
        _CORPUS.publish(_CORPUS.default)  # else this run would miss the text


def read_files(files: Iterable[tuple[str, bytes]], how: Reading) -> tuple[Text, JoinedFiles]:
    """The files as a corpus, and what else was found; InputError and LimitError as `read_corpus_files`."""
    given = list(files)
    joined = read_corpus_files(given, how, state.visitor())
    names = [name for name, _ in given]
    name = joined_name(list(dict.fromkeys(_file_of(part, names) for part in joined.files.names)))
    return checked_text(joined.text, name, joined.files), joined._replace(text="")


def _file_of(part: str, names: Sequence[str]) -> str:
    """The file of a part, `file: part` of a table; a name may have a colon itself."""
    return next((name for name in names if f"{part}: ".startswith(f"{name}: ")), part.partition(": ")[0])


def _render_files(seen: _Seen) -> None:
    """What came of the files, and how they are read: another column of the text is for the next run."""
    try:
        if isinstance(seen.joined, InputError):
            raise seen.joined.again()
        for place, table in enumerate(seen.joined.tables.values()):
            _choose_column(place, table)
        _render_notes(seen.joined)
    finally:
        with st.expander(t("corpus.reading"), icon=":material/tune:"):
            _render_reading()


def _render_reading() -> None:
    """The encoding of the files, and what their names say."""
    names = {"auto": t("corpus.encoding_auto")} | {name: name.upper() for name in ENCODINGS}
    label = t("corpus.encoding")
    st.selectbox(label, list(names), format_func=names.__getitem__, key=_ENCODING, persist_state="session")
    st.text_input(
        t("corpus.pattern"),
        key=_PATTERN,
        max_chars=_MAX_PATTERN,
        placeholder="{register}_{year}_{speaker}",
        help=t("corpus.pattern_help"),
        persist_state="session",
    )


def _seen(files: list[UploadedFile]) -> _Seen | None:
    """What was read of these files; None if they are new."""
    seen: _Seen | None = st.session_state.get(_SEEN)
    return seen if seen is not None and seen.key == _key(files) else None


def _how(columns: dict[str, str]) -> Reading:
    encoding, pattern = str(st.session_state.get(_ENCODING, "auto")), str(st.session_state.get(_PATTERN, ""))
    return Reading(encoding if encoding in ENCODINGS else None, columns, pattern=pattern)


def _key(files: list[UploadedFile]) -> tuple[object, ...]:
    return tuple(file.file_id for file in files), _how({})


def _read(files: list[UploadedFile], columns: dict[str, str], add: Callable[[str], None]) -> _Seen:
    joined: JoinedFiles | InputError
    try:
        check_size("upload_mb", sum(file.size for file in files))
        source, joined = read_files([(file.name, file.getvalue()) for file in files], _how(columns))
        hold(source, held_texts())
        add(source.id)
    except InputError as error:
        joined = error.again()
    st.session_state[_SEEN] = seen = _Seen(_key(files), joined)
    return seen


def _chosen_column(place: int, table: ReadTable) -> str:
    chosen = st.session_state.get(f"{_COLUMN}.{place}")
    return chosen if len(table.choices) > 1 and chosen in table.choices else table.column


def _choose_column(place: int, table: ReadTable) -> None:
    """The column of the text; asked for only if several may be meant."""
    if len(table.choices) < 2:
        return
    key = f"{_COLUMN}.{place}"
    if st.session_state.get(key) not in table.choices:
        st.session_state[key] = table.column
    shown = {name: showable(name) for name in table.names}
    st.selectbox(t("corpus.column"), table.choices, format_func=shown.__getitem__, key=key)
    rows = [[showable(cell) for cell in row] for row in table.head[:_PREVIEW_ROWS]]
    st.dataframe(pd.DataFrame(rows, columns=[shown[name] for name in table.names]), hide_index=True)


def _render_notes(joined: JoinedFiles) -> None:
    files = joined.files
    if len(files) > 1:
        table = pd.DataFrame({t("corpus.name"): list(map(showable, files.names)), t("corpus.lines"): files.n_lines})
        for column, values in files.telling.items():
            table.insert(len(table.columns), column_title(column), list(map(showable, values)), True)
        st.dataframe(table, hide_index=True, height="content" if len(table) < _MAX_ROWS else 250, key="corpus.parts")
    if joined.refused:
        lines = [f"- {plain(reason(error))}" for error in joined.refused[:_MAX_REFUSED]]
        st.warning("\n".join([t("corpus.left_out", count=len(joined.refused)), "", *lines]), icon=":material/block:")
    for error in joined.odd:
        st.warning(plain(reason(error)), icon=":material/rule:")
    by_encoding = pd.Series(joined.encodings).value_counts()
    used = ", ".join(f"{str(name).upper() or 'Parquet'} ({n:,})" for name, n in by_encoding.items())
    sentences = [t("corpus.decoded", encodings=used)]
    sentences += [t(f"corpus.{what}", count=n) for what, n in joined.counts.items() if n]
    st.caption(plain(" ".join(sentences)))
