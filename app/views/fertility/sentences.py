"""The parallel sentences for comparing languages: built-in, or the visitor's own."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.parts.choices import url_choice
from app.parts.problem import reason
from app.parts.texts.dropped_texts import render_dropped
from app.parts.texts.text_set import language_name
from app.parts.texts.upload import render_file_field
from app.server.limits import check_size, limits
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import read_parallel_file
from app.session import state
from app.session.own_texts import OwnText, pack_own, unpack_own
from app.session.stored_texts import held_parallel
from app.session.url import UrlValue
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.measured import LANGUAGES, parallel_texts
from app.texts.plain import plain
from engine.corpus.reading.parallel import aligned_lines
from engine.corpus.reading.tables import KINDS
from engine.errors import InputError

_MET = "fertility.parallel_met"  # the link's sentences were present once, or the visitor continues without them
_TYPES = ["txt", *(ending[1:] for ending in KINDS), "gz", "zst"]
# The visitor's own sentences in a link, named by their languages.
_MEANT: UrlValue[OwnText | None] = UrlValue(
    "parallel",
    "fertility.parallel_meant",
    lambda packed: next(iter(unpack_own(packed)), None),
    lambda one: pack_own([one]) if one else None,
    None,
)
_MAX_LINES, _MAX_LANGUAGES = 20_000, 40


@dataclass(frozen=True)
class Sentences:
    """Parallel sentences: the languages in order, and their text (None: the built-in ones)."""

    languages: tuple[str, ...]
    n_lines: int
    text: Text | None = None

    def lines(self) -> Mapping[str, Sequence[str]]:
        if self.text is None:
            return parallel_texts()
        return {language: lines[:_MAX_LINES] for language, lines in json.loads(self.text.read()).items()}

    def name(self, language: str) -> str:
        return language_name(language) if language in LANGUAGES else plain(language)


def render_sentences(place: DeltaGenerator) -> Sentences | None:
    """The choice of sentences, and the uploader for the visitor's own; None while there are none, said in `place`."""
    kinds = {name: t(f"fertility.sentences.{name}") for name in ("builtin", "own")}
    if url_choice("sentences", t("fertility.sentences.label"), kinds, "builtin") == "builtin":
        return Sentences(LANGUAGES, len(parallel_texts()[LANGUAGES[0]]))
    try:
        upload = render_file_field(
            t("fertility.parallel.files"),
            "fertility.parallel",
            _read,
            is_valid=lambda content: isinstance(content, InputError) or bool(held_parallel()),
            type=_TYPES,
            accept_multiple_files=True,
            max_upload_size=limits().upload_mb,
            help=t("fertility.parallel.help"),
        )
    except InputError as error:
        place.error(plain(reason(error)), icon=":material/error:")
        return None
    finally:
        st.caption(t("train.corpus.private"))
    held, meant = held_parallel(), _MEANT.adopt()
    text = held.get(upload.content) if upload else None
    if upload is None and st.session_state.pop(_MET, False):  # the visitor removed them
        meant = None
        _MEANT.set(None)
        _MEANT.publish(None)
    with place:
        render_dropped(held)
    if text is None and meant:
        said = t("fertility.parallel.meant", names=plain(meant.name), n=meant.n_lines or 0, digest=meant.digest)
        place.warning(said, icon=":material/link_off:")
        return None
    if text is None:
        place.info(t("fertility.parallel.none"), icon=":material/upload_file:")
        return None
    found = _described(text)
    names = ", ".join(found.name(language) for language in found.languages)
    st.caption(t("fertility.parallel.read", names=names, n=found.n_lines))
    if found.n_lines > _MAX_LINES:
        st.caption(t("fertility.cut", name=t("fertility.sentences.own"), limit=_MAX_LINES))
    with place:
        _publish(found, meant)
    return found


def _publish(found: Sentences, meant: OwnText | None) -> None:
    """Write to the URL which sentences these are, and say on the page if the link means others."""
    assert found.text is not None
    here = OwnText(found.text.digest, found.n_lines, ", ".join(found.languages))
    if meant and meant.digest != here.digest and not st.session_state.get(_MET):
        st.warning(t("fertility.parallel.other", here=here.digest, link=meant.digest), icon=":material/difference:")
        accept = partial(st.session_state.update, {_MET: True})
        st.button(t("own_text.read"), on_click=accept, key="fertility.parallel_other", icon=":material/check:")
        return
    st.session_state[_MET] = True
    _MEANT.set(here)
    _MEANT.publish(here)


def _read(files: Sequence[UploadedFile]) -> str:
    """Store the sentences of these files; their id."""
    texts: dict[str, Sequence[str]] = {}
    for file in files:
        check_size("upload_mb", file.size)
        for language, lines in read_parallel_file(file.getvalue(), file.name, state.visitor()).items():
            texts[_free(language, file.name, texts)] = lines
    if len(texts) > _MAX_LANGUAGES:
        raise InputError("parallel.many", count=len(texts), most=_MAX_LANGUAGES)
    source = checked_text(json.dumps(aligned_lines(texts), ensure_ascii=False), ", ".join(texts))
    held_parallel().clear()  # only the last ones are ever shown
    hold(source, held_parallel())
    return source.id


def _free(language: str, file: str, taken: Mapping[str, object]) -> str:
    """A unique name for the language: two files may have columns of the same name."""
    if language not in taken:
        return language
    name, number = f"{language} ({file})", 1
    while name in taken:
        number += 1
        name = f"{language} ({file}, {number})"
    return name


def _described(text: Text) -> Sentences:
    texts: dict[str, list[str]] = json.loads(text.read())
    return Sentences(tuple(texts), len(next(iter(texts.values()))), text)
