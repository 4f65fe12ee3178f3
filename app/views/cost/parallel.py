"""Parallel sentences, perhaps of one's own: premium over a base language, and equity, under any tokenizers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.parts.choices import url_choice, url_select
from app.parts.data_table import PINNED, draw_table, headings, in_bold, render_data, say_bold
from app.parts.figures.bars import dots_figure
from app.parts.layout import Layout, render_figure
from app.parts.problem import reason
from app.parts.texts.text_set import language_name
from app.parts.texts.upload import render_dropped, render_file_field
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.server.limits import check_size, limits
from app.server.remember import remember
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import read_parallel_file
from app.session import state
from app.session.models import ActiveTokenizer
from app.session.own_texts import OwnText, held_parallel, pack_own, unpack_own
from app.session.url import UrlValue
from app.texts.corpora import LANGUAGES, Text, own_text, parallel_texts
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.cost.fairness import render_equity
from app.views.cost.texts import cost_columns, measured_by
from engine.corpus.reading.parallel import aligned_lines
from engine.corpus.reading.tables import KINDS
from engine.errors import InputError
from engine.measure.best import ties_with_best
from engine.measure.parallel import parallel_table

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


_BASE, _MAX_TABLES = "en", 200


def _parallel(active: ActiveTokenizer, sentences: Sentences, base: str) -> pd.DataFrame:
    """Results of one tokenizer; those on a visitor's own sentences are cached in the session only."""
    key = (active.sha256, sentences.text and sentences.text.digest, base)
    is_shared = sentences.text is None

    def make() -> pd.DataFrame:
        return parallel_table(active.model, sentences.lines(), base)

    return remember("fertility.parallel", key, make, _MAX_TABLES, is_shared=is_shared)


def _choose_base(sentences: Sentences) -> str:
    names = {language: sentences.name(language) for language in sentences.languages}
    base = UrlValue("base", "fertility.base", lambda text: text if text in names else None, str, _BASE)
    if base.adopt() not in names:
        base.set(_BASE if _BASE in names else sentences.languages[0])
    return url_select(base, t("fertility.base"), names, t("fertility.base_help"))


def render_parallel(view: Layout) -> None:
    """Premium by language and tokenizer; tables of fertility and equity."""
    with view.settings(t("fertility.sentences.label"), "languages"):
        sentences = render_sentences(view.picture)
        base = _choose_base(sentences) if sentences else ""
    tokenizers = render_tokenizer_set(view)
    if sentences is None:
        return
    with view.picture:
        table = _measured(tokenizers, sentences, base)
    if table is not None:
        _render_table(view, table, sentences, base)


def _measured(shown: list[ActiveTokenizer], sentences: Sentences, base: str) -> pd.DataFrame | None:
    """One row per tokenizer and language; None, with a message, if there is none."""
    if not shown:
        st.info(t("fertility.choose"), icon=":material/library_books:")
        return None
    found = measured_by(shown, lambda active: _parallel(active, sentences, base))
    parts = [table.assign(tokenizer=f"{number}. {active.title}") for number, active, table in found]
    if not parts:
        return None
    table = pd.concat(parts, ignore_index=True)
    table["best"] = _ties(table)
    return table.drop(columns="sums").assign(
        name=[sentences.name(code) for code in table["language"]],
        word=[t(f"fertility.word.{word}") for word in table["word"]],
        low=table["premium_low"],
        high=table["premium_high"],
    )


def _ties(table: pd.DataFrame) -> pd.Series:
    """Whether a row's tokens per word tie with the fewest in its language."""
    groups = [rows.index for _, rows in table.groupby("language", sort=False)]
    found = ties_with_best([table["sums"][rows].tolist() for rows in groups], is_lowest=True)
    best = pd.Series(False, table.index)
    for rows, own in zip(groups, found, strict=True):
        best[rows] = [one.is_best for one in own]
    return best


def _render_table(view: Layout, table: pd.DataFrame, sentences: Sentences, base: str) -> None:
    title = t("fertility.languages_title", base=sentences.name(base))
    with view.picture:
        render_figure(
            dots_figure(table, "name", "tokenizer", "premium", title, t("fertility.premium_axis"), language()),
            "fertility.dots",
            title,
        )
    note = t("fertility.languages_note", n=int(table["n"].min()))
    with view.sections:
        st.caption(t("fertility.predicts.parity"))
        st.caption(note if sentences.text is not None else f"{note} {t('fertility.languages_few')}")
        _render_fertility(table)
        st.markdown(f"**{t('fertility.equity.heading')}**")
        costs = table.groupby("tokenizer", sort=False)["tokens_per_sentence"]
        render_equity({str(name): values for name, values in costs}, "fertility.equity")
        _render_numbers(table, sentences)


def _render_numbers(table: pd.DataFrame, sentences: Sentences) -> None:
    names = (
        "tokenizer",
        "name",
        "n",
        "tokens",
        "words",
        "word",
        "fertility",
        "best",
        "floor",
        "above_floor",
        "characters",
        "bytes",
        "tokens_per_sentence",
        "tokens_per_byte",
        "characters_per_token",
        "premium",
        "low",
        "high",
        "median",
        "rtc",
    )
    lines = sentences.lines()
    texts = {code: own_text("\n".join(lines[code])).fingerprint for code in sentences.languages}
    render_data(
        "languages",
        table,
        cost_columns(names),
        of=table["language"].map(texts),
        bold=table[["best"]].set_axis(["fertility"], axis=1),
    )


def _render_fertility(table: pd.DataFrame) -> None:
    st.markdown(f"**{t('fertility.axis')}**")
    wide = table.pivot_table(index="tokenizer", columns="name", values="fertility", sort=False)
    best = table.pivot_table(index="tokenizer", columns="name", values="best", aggfunc="all", sort=False)[wide.columns]
    names = {name: st.column_config.NumberColumn(name, format="%.2f") for name in wide.columns}
    columns = headings("fertility.column", tokenizer=PINNED) | names
    draw_table(in_bold(wide.reset_index(), best.reset_index(drop=True)), columns, "fertility.by_language")
    say_bold(best)
    st.caption(t("fertility.word.help"))


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
        st.caption(t("corpus.private"))
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
        for code, lines in read_parallel_file(file.getvalue(), file.name, state.visitor()).items():
            texts[_free(code, file.name, texts)] = lines
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
