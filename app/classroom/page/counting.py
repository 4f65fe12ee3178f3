"""Reveals of numbers: unknown words (lesson 2), bytes (7), languages (8), and which tokens survive (9)."""

from functools import cache, lru_cache

import pandas as pd
import streamlit as st

from app.classroom.lessons import PAYS_INSTEAD, PAYS_MODEL, THUNDER_TOK, Lesson
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.question import Question
from app.components.boards import utf8_board
from app.components.pictures import token_strip
from app.parts.figures.bars import grouped_bars_figure
from app.parts.figures.lines import growth_figure
from app.parts.figures.rounds import token_life_figure
from app.parts.layout import render_figure
from app.parts.tables.learn.tradeoff import coverage_table, ranked_words, unknown_words, with_unknown
from app.parts.tables.learn.utf8 import board
from app.parts.tables.rounds import token_life
from app.parts.tables.segmentation import TextPart
from app.parts.tables.strips import byte_row, patch_row
from app.parts.tables.units import per_nat
from app.parts.texts.text_set import language_name
from app.parts.tokenizers.tokenizer_set import ready_references
from app.session.reference import parse_reference
from app.texts.corpora import ALL, builtin_corpus, parallel_texts
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.boundaries.patches import ByteModel, entropy_patches, fixed_patches
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available, load_public

_HEIGHT = 330
_SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 4000, 10_000)
_LANGUAGES = ("en", "de", "zh", "ko", "hi")
_MODELS = ("gpt2", "cl100k_base", "o200k_base")


def has_public() -> bool:
    return is_available(PAYS_MODEL)


def pays_model() -> str:
    return PUBLIC_TOKENIZERS[PAYS_MODEL if has_public() else PAYS_INSTEAD].title


def training_lines(of: str) -> list[str]:
    return builtin_corpus("ko").lines() if of == "ko" else builtin_corpus("multi", (of,)).lines()


@lru_cache(maxsize=2)
def _coverage(of: str) -> pd.DataFrame:
    return coverage_table(training_lines(of), parallel_texts()[of], _SIZES)


@lru_cache(maxsize=2)
def _ranked(of: str) -> list[str]:
    return ranked_words(training_lines(of))


def render_words(lesson: Lesson, question: Question[object], own: object) -> None:
    """The curve over vocabulary size, and sentences as a word vocabulary encodes them."""
    of = lesson.class_language(language())
    table, size = _coverage(of), int(lesson.material[of])
    table = table.assign(
        unit=table["unit"].map({unit: t(f"train.algorithm.{unit}") for unit in ("words", "characters")})
    )
    left, right = st.columns([3, 2], vertical_alignment="center")
    title = t("learn_tradeoff.unknown_title")
    axes = (t("lessons.words_axis"), t("learn_tradeoff.covered_axis"))
    figure = growth_figure(table, "unit", "covered", title, axes, language(), in_percent=True)
    render_figure(figure.resized(_HEIGHT), "lessons.words", title, left)
    known, lines = set(_ranked(of)[:size]), parallel_texts()[of]
    missing, total = int(unknown_words(lines, known)["count"].sum()), sum(len(line.split()) for line in lines)
    with right:
        st.markdown(t("lessons.words_now", total=total, unknown=missing, share=100 * missing / total))
        for line in lines[:3]:
            st.markdown(f"- {plain(with_unknown(line, known))}")


@cache
def _byte_model() -> ByteModel:
    return ByteModel(builtin_corpus(ALL).lines(), 5)


def render_bytes(lesson: Lesson, question: Numbers, own: object) -> None:
    """The bits of every character, and bytes in patches."""
    # The first character of several bytes; the last text is too wide for the board, and stands below.
    word, face, family = question.labels
    longest = max(word, key=lambda char: len(char.encode()))
    utf8_board("lessons.utf8", board(longest + face), lang=language())
    n, whole = len(family.encode()), TextPart(0, 0, 0, len(family))
    entropies = _byte_model().entropies(family)
    ends = {"fixed": fixed_patches(n, 4), "entropy": entropy_patches(entropies, 2 / per_nat("bit"))}
    rows = [byte_row(family, whole, t("lessons.byte_row"), t("boundaries.patch.count", count=n))]
    rows += [
        patch_row(family, own_ends, t(f"lessons.{name}_row"), t("boundaries.patch.count", count=len(own_ends)))
        for name, own_ends in ends.items()
    ]
    token_strip("lessons.patches", rows, chars=list(family), show_help=False, lang=language())


@cache
def _language_costs(name: str) -> dict[str, float]:
    model = load_public(name)
    tokens = {code: sum(len(model.encode(line).ids) for line in parallel_texts()[code]) for code in _LANGUAGES}
    return {code: count / tokens["en"] for code, count in tokens.items()}


def warm_reveals() -> bool:
    """Compute what the reveals of lessons 7 and 8 would compute the first time, when a room opens."""
    _byte_model()
    for name in filter(is_available, _MODELS):
        _language_costs(name)
    return True


def render_same_sentence() -> None:
    st.markdown("\n".join(f"- {plain(parallel_texts()[code][0])}" for code in ("ko", "en")))


def render_pays(lesson: Lesson, question: Question[object], own: object) -> None:
    """Languages under the available public tokenizers."""
    here = [name for name in _MODELS if is_available(name)]
    missing = [PUBLIC_TOKENIZERS[name].title for name in _MODELS if name not in here]
    if missing:
        st.caption(t("lessons.no_public", names=", ".join(missing)))
    rows = [
        (PUBLIC_TOKENIZERS[name].title, language_name(code), ratio)
        for name in here
        for code, ratio in _language_costs(name).items()
    ]
    table = pd.DataFrame(rows, columns=["model", "language", "ratio"])
    title = t("lessons.pays_title", n=len(parallel_texts()["en"]))
    figure = grouped_bars_figure(table, "language", "model", "ratio", title, t("lessons.pays_axis"), language())
    render_figure(figure.resized(_HEIGHT), "lessons.pays", title)
    said = (
        t("lessons.pays_words", model=plain(PUBLIC_TOKENIZERS[name].title), ratio=_language_costs(name)["ko"])
        for name in here
    )
    st.markdown(" · ".join(said))


def render_thunder(lesson: Lesson, question: Question[object], own: object) -> None:
    """The rank of tokens from round to round."""
    reference = parse_reference(THUNDER_TOK)
    (ready,) = ready_references([reference] if reference else [])
    model = ready.model.pruning
    assert model is not None
    # Inside a text a word's token begins with a space.
    words = lesson.material[lesson.class_language(language())].split()
    tokens = {word: model.tokens.index(f" {word}".encode()) for word in words}
    lives = {word: token_life(model, row) for word, row in tokens.items()}
    figure = token_life_figure(lives, language()).resized(_HEIGHT + 30)
    render_figure(figure, "lessons.thunder", t("rounds.life.chart"))
    st.caption(t("lessons.thunder_note", first=model.kept_rounds[0]))
