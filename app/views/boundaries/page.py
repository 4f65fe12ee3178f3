"""Boundaries: where information theory cuts text without spaces, compared with a gold standard."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.parts.choices import read_choice, unit_choice, url_choice, url_toggle
from app.parts.layout import Layout, heading, layout
from app.parts.problem import reason
from app.parts.texts.upload import render_dropped, render_file_field
from app.server.remember import remember
from app.server.stored_texts import checked_text, hold
from app.server.work.kernels import KernelsNotReadyError
from app.server.work.reading import read_text_file
from app.session import state
from app.session.own_texts import held_texts
from app.session.page_run import render_preparing
from app.texts.corpora import Text
from app.texts.gold import GOLD, GoldText, builtin_gold, gold_language, gold_of
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.boundaries.bytes import render_bytes
from app.views.boundaries.correction import corrected_gold, render_correction
from app.views.boundaries.errors import render_errors
from app.views.boundaries.f1_over_lambda import current_lambda, lambda_slider
from app.views.boundaries.scores import render_scores
from app.views.boundaries.sentence import render_sentence
from engine.boundaries.language_model import RULES, CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_TOTAL, TOTALS
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.errors import InputError

_MAX_SENTENCES = 5000
_MOST_NAMED = 8  # eojeols that could not be cut
_MAX_TRAINING_BYTES = 1_000_000  # every method learns from this much in half a minute


def own_gold(view: Layout) -> GoldText:
    """The fields for both files, and their contents; without a gold the page ends, and its picture says so."""
    label, help_text = t("boundaries.gold.file"), t("boundaries.gold.help")
    upload = render_file_field(label, "boundaries.file", _read_gold, help=help_text)
    if upload is None or not upload.content.words:
        with view.picture:
            st.info(t("boundaries.gold.none"), icon=":material/upload_file:")
        st.stop()
    gold = upload.content
    st.caption(t("boundaries.gold.read", sentences=len(gold.words), words=sum(map(len, gold.words))))
    if gold.n_left_out:
        st.caption(t("boundaries.gold.cut", limit=_MAX_SENTENCES, count=gold.n_left_out))
    if gold.whole:
        often = plain(", ".join(f"{eojeol} {times:,}" for eojeol, times in gold.whole[:_MOST_NAMED]))
        count = sum(times for _, times in gold.whole)
        st.caption(t("boundaries.gold.whole", count=count, distinct=len(gold.whole), often=often))
    training = _training()
    return gold.learned_from(training) if training else gold


def _training() -> Text | None:
    """The visitor's own training text, if there is one."""
    upload = render_file_field(
        t("boundaries.training.file"),
        "boundaries.training_file",
        _read_training,
        is_valid=lambda content: isinstance(content, InputError) or content in held_texts(),
        help=t("boundaries.training.help"),
    )
    if upload is None:
        return None
    render_dropped(held_texts())
    text = held_texts().get(upload.content)
    if text is not None:
        st.caption(t("boundaries.training.read", name=plain(text.name), lines=text.n_lines))
    return text


def _read_training(files: Sequence[UploadedFile]) -> str:
    """Store the text of the file in the session; its id."""
    (file,) = files
    text = checked_text(with_line_feeds(read_text_file(file.getvalue(), state.visitor())), file.name)
    if text.n_bytes > _MAX_TRAINING_BYTES:
        raise InputError("training_text.long", limit=_MAX_TRAINING_BYTES)
    hold(text, held_texts())
    return text.id


def _read_gold(files: Sequence[UploadedFile]) -> GoldText:
    (file,) = files
    lines = split_lines(read_text_file(file.getvalue(), state.visitor(), is_gold=True))
    return gold_of(lines, limit=_MAX_SENTENCES)._replace(file=file.name)


_VIEWS = ("sentence", "scores", "errors", "bytes")


def _ngrams(name: str, gold: GoldText, edges: bool) -> Ngrams:
    """N-gram counts: shared for a built-in gold, private to the session for a visitor's own."""
    limit, key = 2 * len(GOLD) if name in GOLD else 1, (gold.train, edges)
    return remember("boundaries.ngrams", key, lambda: Ngrams(gold.train, 6, edges), limit, is_shared=name in GOLD)


def _render_gold_view(section: str, view: Layout) -> None:
    """One of the views that compare with a gold: all but the last."""
    names = {name: t(f"boundaries.gold.{name}") for name in (*GOLD, "own")}
    chosen = names[read_choice("gold", names, GOLD[0])]
    with view.settings(t("boundaries.settings", gold=chosen)):
        name = url_choice("gold", t("boundaries.gold.label"), names, GOLD[0])
        read = own_gold(view) if name == "own" else builtin_gold(name)
        left, right = st.columns(2)
        with left:
            total = url_choice(
                "total",
                t("boundaries.total.label"),
                {n: t(f"boundaries.total.{n}") for n in TOTALS},
                DEFAULT_TOTAL,
                t("boundaries.total.help"),
            )
            edges = not url_toggle("noedges", t("boundaries.no_edges"))
            unit = unit_choice()
        with right:
            order = st.slider(t("boundaries.order"), 1, 6, 2, key="order", bind="query-params", persist_state="session")
            rule = url_choice(
                "rule",
                t("boundaries.rule.label"),
                {n: t(f"boundaries.rule.{n}") for n in RULES},
                "rise",
                t("boundaries.rule.help"),
            )
    gold = corrected_gold(read)
    if section == "sentence":
        lam = current_lambda()  # its slider is part of the picture
    else:
        with view.scrubber:
            lam = lambda_slider()
    ngrams = _ngrams(name, gold, edges)
    if section == "errors":
        render_errors(view, gold, ngrams, CharacterModel(ngrams, order), lam, total, rule)
    elif section == "sentence":
        render_sentence(view, gold, name, ngrams, CharacterModel(ngrams, order), lam, total, rule, unit)
        with view.sections:
            render_correction(read, gold, gold_language(name))
    else:
        render_scores(view, gold, ngrams, (total, edges, order, rule), lam, name, read, unit)


section = heading("boundaries", _VIEWS)
view = layout()
try:
    if section == "bytes":
        render_bytes(view)
    else:
        _render_gold_view(section, view)
except InputError as error:
    with view.picture:
        st.error(plain(reason(error)), icon=":material/error:")
except KernelsNotReadyError:
    with view.picture:
        render_preparing()
