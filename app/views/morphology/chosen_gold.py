"""What the views of morphology compare: tokenizers, and a gold file or an analyser's output for a text."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app import ASSETS
from app.parts.choices import read_choice, url_choice
from app.parts.layout import Layout
from app.parts.problem import show_problem
from app.parts.texts.text_set import text_name
from app.parts.texts.upload import render_file_field
from app.parts.tokenizers.tokenizer_set import Offer, render_offers
from app.parts.tokens.morpheme_layer import analyser_choice, is_ready
from app.server.remember import remember
from app.server.work.reading import read_text_file
from app.session import state
from app.session.comparison import FIRST_PUBLIC, FIRST_SHIPPED
from app.session.models import ActiveTokenizer
from app.texts.corpora import builtin_text
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.corpus.reading.lines import split_lines
from engine.errors import InputError
from engine.measure.morphemes.analysis import Analysis, gold_analysis, silver_analysis
from engine.measure.morphemes.gold import parse_gold, read_gold

GOLDS = ("builtin", "kaist", "silver", "own")
BUILTIN, KAIST, SILVER, UPLOADED = GOLDS
_TEXTS = ("ko.news", "ko.reviews", "ko.fairytale", "ko.science")
_FILE = "morphology.file"
_MAX_LINES, _MAX_CHARACTERS = 60_000, 1_000_000  # an analyser tags this much in some ten seconds


class Gold(NamedTuple):
    """An analysis and its key; a shared one is not a visitor's, a silver one is an analyser's.

    `file` : the name of the visitor's file.
    """

    key: str
    analysis: Analysis
    is_shared: bool
    program: str = ""
    file: str = ""


def _shared_analysis(key: str) -> Analysis:
    """The gold shipped with the app, or an analyser's analysis of a built-in text: `mecab/ko.news`."""

    def analyse() -> Analysis:
        if key == BUILTIN:
            return gold_analysis(read_gold(ASSETS / "gold" / "ko_morphemes.tsv"))
        analyser, _, name = key.partition("/")
        return silver_analysis(builtin_text(name).sentences(), analyser)

    return remember("morphology.gold", key, analyse, len(_TEXTS) * len(ANALYSERS) + 1, is_shared=True)


def gold_label(param: str, kinds: Sequence[str]) -> str:
    return t("morphology.gold.chosen", gold=t(f"morphology.gold.{read_choice(param, kinds, kinds[0])}"))


def choose_gold(param: str, kinds: Sequence[str], view: Layout) -> Gold | str | None:
    """The gold chosen among some of GOLDS, the first unless `param` in the URL says otherwise.

    KAIST, which has only stored results, or an analysis; None, and why, if there is none.
    """
    names = {name: t(f"morphology.gold.{name}") for name in kinds}
    chosen = url_choice(param, t("morphology.gold.label"), names, kinds[0], t("morphology.gold.help"))
    if chosen == KAIST:
        return KAIST
    if chosen == SILVER:
        return _silver(view)
    with view.picture:
        if any(not is_ready(analyser) for analyser in installed_analysers()[:1]):  # tags a file without tags
            return None
    if chosen == UPLOADED:
        return _own_gold(view)
    with view.picture, st.spinner(t("morphology.measuring")):
        return Gold(chosen, _shared_analysis(chosen), True)


def _silver(view: Layout) -> Gold | None:
    """A built-in text as analysed by a program; None if there is none, or while it is loading."""
    name = url_choice("text", t("morphology.text"), {id_: text_name(id_) for id_ in _TEXTS}, _TEXTS[0])
    analyser = analyser_choice()
    with view.picture:
        if analyser is None or not is_ready(analyser):
            return None
        key = f"{analyser}/{name}"
        with st.spinner(t("morphology.measuring")):
            return Gold(key, _shared_analysis(key), True, ANALYSERS[analyser].title)


def _own_gold(view: Layout) -> Gold | None:
    """A visitor's gold: read once, and stored in the session only."""
    try:
        upload = render_file_field(t("morphology.file"), _FILE, _read, help=t("morphology.file_help"))
    except InputError as error:
        with view.picture:
            show_problem(t("morphology.refused"), error)
            return None
    if upload is None:
        with view.picture:
            st.info(t("morphology.none"), icon=":material/upload_file:")
            return None
    gold, is_cut = upload.content
    if is_cut:
        st.caption(t("fertility.cut", name=plain(upload.name), limit=_MAX_LINES))
    return gold


def _read(files: Sequence[UploadedFile]) -> tuple[Gold, bool]:
    """The analysis, and whether it leaves out lines."""
    (file,) = files
    lines = split_lines(read_text_file(file.getvalue(), state.visitor(), is_gold=True))
    sentences = parse_gold(lines[:_MAX_LINES])
    if sum(len(sentence.text) for sentence in sentences) > _MAX_CHARACTERS:
        raise InputError("gold.long", limit=_MAX_CHARACTERS)
    return Gold(file.file_id, gold_analysis(sentences), False, file=file.name), len(lines) > _MAX_LINES


def shown_or_said(view: Layout) -> list[ActiveTokenizer]:
    """The selected tokenizers; where there is none, the picture asks for a selection."""
    shown = render_offers(view, Offer("shipped", "shipped", FIRST_SHIPPED), Offer("public", "public", FIRST_PUBLIC))
    if not shown:
        with view.picture:
            st.info(t("morphology.choose"), icon=":material/library_books:")
    return shown
