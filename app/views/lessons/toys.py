"""Reveals on a few words with their counts: merges (lessons 3 and 4), best segmentation and pruning (5 and 6)."""

from itertools import islice

import streamlit as st

from app.components.stepper.data import Block, Frame
from app.components.viterbi.widget import viterbi_stepper
from app.lessons.questions.cuts import Cuts
from app.lessons.questions.question import Question
from app.lessons.toy_corpus import read_toy_corpus
from app.lessons.toy_merges import merge_steps
from app.lessons.toy_unigram import probabilities, strict_substrings, unigram_steps
from app.parts.tables.learn.merge_frames import bpe_frames
from app.parts.tables.learn.unigram import toy_viterbi_data
from app.parts.tables.learn.unigram_frames import pruning_frames
from app.parts.tables.learn.wordpiece_frames import versus_frames
from app.parts.url_stepper import url_stepper
from app.texts.i18n import language, t
from app.texts.lessons import Lesson
from app.texts.plain import plain
from engine.merge_settings import MergeSettings

_MERGES, _ROUNDS, _MAX_ROWS = 6, 8, 6


def words_of(lesson: Lesson) -> dict[str, int]:
    return read_toy_corpus(lesson.material[lesson.class_language(language())])


def merge_settings(algorithm: str, score: str = "frequency") -> MergeSettings:
    return MergeSettings(
        algorithm=algorithm, vocab_size=None, continuing="", end_of_word="", mark_place="symbol", score=score
    )


def render_words(lesson: Lesson) -> None:
    st.markdown(f"**{t('lessons.words_head')}**")
    words = (f":gray-badge[{plain(' '.join(word))}] ×{count}" for word, count in words_of(lesson).items())
    st.markdown(" &ensp; ".join(words))


def render_tokens_of(lesson: Lesson, question: Question[object]) -> None:
    """The tokens that a word can be segmented into, with their counts."""
    assert isinstance(question, Cuts)
    counts = strict_substrings(words_of(lesson))
    st.markdown(f"**{t('lessons.tokens_head')}**")
    tokens = (f":gray-badge[{plain(token)}] {count}" for token, count in counts.items() if token in question.text)
    st.markdown(" &ensp; ".join(tokens))


def render_bpe(lesson: Lesson, question: Question[object], own: object) -> None:
    settings = merge_settings("bpe")
    steps = merge_steps(words_of(lesson), settings, _MERGES)
    frames = bpe_frames(steps, settings, (), language(), hidden=True)[1:]
    url_stepper("step", [_first_blocks(frame) for frame in frames], ("bpe", language()), t("learn_bpe.title"))


def render_wordpiece(lesson: Lesson, question: Question[object], own: object) -> None:
    """The boards of BPE and WordPiece."""
    words = words_of(lesson)
    bpe, wordpiece = (
        merge_steps(words, merge_settings("wordpiece", score), _MERGES) for score in ("frequency", "likelihood")
    )
    frames = versus_frames(bpe, wordpiece, "likelihood", language())
    shown: list[Frame] = [{**frame, "blocks": [_narrow(block) for block in frame["blocks"][2:4]]} for frame in frames]
    url_stepper("step", shown, ("wordpiece", language()), t("learn_wordpiece.title"))


def render_unigram(lesson: Lesson, question: Cuts, own: object) -> None:
    prob = probabilities(strict_substrings(words_of(lesson)))
    data = toy_viterbi_data(question.text, prob)
    viterbi_stepper("lessons.viterbi", data, start=len(question.text))


def render_em(lesson: Lesson, question: Question[object], own: object) -> None:
    """Pruning by loss, one token per round."""
    words = words_of(lesson)
    counts = strict_substrings(words)
    steps = list(islice(unigram_steps(words, counts, sum(len(token) == 1 for token in counts)), _ROUNDS))
    frames = [_first_blocks(frame) for frame in pruning_frames(words, steps, language())]
    url_stepper("step", frames, ("em", language()), t("learn_unigram.pruning"))


def _first_blocks(frame: Frame) -> Frame:
    """Truncated to one screen: two blocks side by side, and the first rows of a table."""
    return {**frame, "blocks": [_first_rows(block) for block in frame["blocks"][:2]]}


def _narrow(block: Block) -> Block:
    return {**block, "width": "own"} if block["kind"] == "table" else block


def _first_rows(block: Block) -> Block:
    if block["kind"] != "table":
        return block
    marks = [mark for mark in block.get("marks", ()) if mark["row"] < _MAX_ROWS]
    picks: list[str | None] = []
    return {**block, "rows": block["rows"][:_MAX_ROWS], "marks": marks, "picks": picks}
