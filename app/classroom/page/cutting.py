"""Reveals for texts cut by hand: under tokenizers (lesson 1), and where information theory finds words (10)."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import streamlit as st

from app.classroom.lessons import MODELS, Lesson, marked_cuts
from app.classroom.questions.cuts import Cuts, cut_f1
from app.components.boards import MAX_LAMBDA, cut_board
from app.components.data import CutRow, SharedCuts, StripRow, cut_places
from app.components.pictures import token_strip
from app.parts.side_by_side import cut_text
from app.parts.tables.segmentation import TextPart
from app.parts.tables.strips import layer_token, strip_chars, token_row
from app.parts.tokenizers.tokenizer_set import ready_references
from app.session.reference import parse_reference
from app.session.url import UrlValue, number_in
from app.texts.catalogue import in_language
from app.texts.corpora import builtin_corpus, parallel_texts
from app.texts.gold import builtin_gold
from app.texts.i18n import language, t
from engine.boundaries.language_model import DEFAULT_RULE, CharacterModel, entropy_cuts
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_TOTAL, UtilityMatcher
from engine.corpus.morphemes.mecab import morpheme_ends
from engine.errors import InputError
from engine.hangul.syllables import is_syllable


def render_tokens(lesson: Lesson, question: Cuts, own: tuple[int, ...]) -> None:
    """The text under several tokenizers; the answer's cuts next to morphemes and lattice posteriors."""
    render_sentence(question, own, marked_cuts(lesson.material[lesson.class_language(language())])[1])


def render_sentence(
    question: Cuts, own: tuple[int, ...], gold: tuple[int, ...] | None = None, above: Sequence[SharedCuts] = ()
) -> None:
    """Any sentence under several tokenizers, its cuts next to other boundaries.

    Parameters
    ----------
    gold : its morpheme boundaries, if known; otherwise those of models and analysers are shown.
    above : rows to put first.
    """
    of = "ko" if any(map(is_syllable, question.text)) else language()
    references = [found for word in in_language(MODELS, of) if (found := parse_reference(word))]
    cut = cut_text("lessons.tokens", ready_references(references), question.text)
    rows: list[SharedCuts] = [*above] or [{"label": t("lessons.row.you"), "shares": dict.fromkeys(own, 1.0)}]
    if gold is not None:
        rows.append({"label": t("lessons.row.morphemes"), "shares": dict.fromkeys(gold, 1.0)})
    else:
        if (first := cut.shown[0].model.probabilities) is not None:
            cut_prob = first.lattice(cut.text).boundary_prob
            shares = {place: float(cut_prob[place]) for place in cut_places(cut.text)}
            rows.append({"label": t("lessons.row.posterior", name=cut.shown[0].title), "shares": shares})
        rows += _morphemes(question.text)
    parts = [TextPart(0, int(one.ids.size), 0, len(cut.text)) for one in cut.segmentations]
    strips = [_piece_row(cut.text, row) for row in rows]
    strips += [
        token_row(active.model, one, part, active.title, "", None, f"{one.ids.size:,}")
        for active, one, part in zip(cut.shown, cut.segmentations, parts, strict=True)
    ]
    token_strip("lessons.strip", strips, chars=strip_chars(cut.text, parts[0]), show_help=False, lang=language())


def _piece_row(text: str, cuts: SharedCuts) -> StripRow:
    """Pieces of words between places where most cut; below a piece, the share that cuts at its end unless all do."""
    spaces = {place for place, char in enumerate(text) if char == " "}
    ends = sorted(spaces.union(place for place, share in cuts["shares"].items() if share >= 0.5))
    tokens = []
    for begin, end in pairwise((0, *ends, len(text))):
        share = cuts["shares"].get(end, 1.0)
        token = layer_token(text[begin:end].strip(), begin, end)
        if share < 1:
            token["tag"] = f"{share:.0%}"
        tokens.append(token)
    return {"name": cuts["label"], "note": "", "count": f"{len(tokens)}", "tokens": tokens}


def _morphemes(text: str) -> list[SharedCuts]:
    """The row of MeCab's morphemes, if MeCab is installed and the text is Korean."""
    if not any(map(is_syllable, text)):
        return []
    try:
        ends = set(morpheme_ends(text))
    except InputError:
        return []
    shares = {place: 1.0 for place in cut_places(text) if place in ends}
    return [{"label": t("lessons.row.mecab"), "shares": shares}]


@lru_cache(maxsize=2)
def spaceless_ngrams(of: str) -> Ngrams:
    """N-gram counts of text without spaces, in the language of the class."""
    if of == "ko":
        return Ngrams(builtin_gold("ko_nospace").train, 6, True)
    lines = [*builtin_corpus("multi", (of,)).lines(), *parallel_texts()[of]]
    return Ngrams(tuple("".join(filter(str.isalpha, line.lower())) for line in lines), 6, True)


_LAMBDA = UrlValue("lam", "lessons.lam", number_in(0.0, MAX_LAMBDA), "{:g}".format, 1.0)


def render_boundaries(lesson: Lesson, question: Cuts, own: tuple[int, ...]) -> None:
    """The boundary board with its slider; gold and the answer's cuts are rows of it."""
    of = lesson.class_language(language())
    text, ngrams = question.text, spaceless_ngrams(of)
    lam = _LAMBDA.adopt()
    matcher = UtilityMatcher(ngrams, lam, DEFAULT_TOTAL)
    assert question.right is not None
    above = [_row("spaces", text, question.right, own)]
    if of == "ko":
        above.append(_row("morphemes", text, marked_cuts(lesson.material["ko"].replace(" ", "|"))[1], own))
    lm = entropy_cuts(CharacterModel(ngrams, 2).entropies(text), DEFAULT_RULE)
    below: list[CutRow] = [
        {"label": t("lessons.row.you"), "ends": [*own, len(text)]},
        {"label": t("boundaries.row.lm"), "ends": lm},
    ]
    cut_board(
        "lessons.board",
        text,
        matcher.terms(text),
        above,
        below,
        lam=lam,
        on_lambda=_LAMBDA.set,
        hidden=("steps",),
        lang=language(),
    )
    _LAMBDA.publish(lam)
    cuts = tuple(matcher.cut(text)[:-1])
    st.caption(t("lessons.f1_lambda", own=cut_f1(own, question.right), lam=lam, utility=cut_f1(cuts, question.right)))


def _row(name: str, text: str, cuts: tuple[int, ...], own: tuple[int, ...]) -> CutRow:
    label = t("lessons.f1", name=t(f"lessons.row.{name}"), f1=cut_f1(own, cuts))
    return {"label": label, "ends": [*cuts, len(text)]}
