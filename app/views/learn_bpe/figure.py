"""The BPE stepper alone, for slides and other sites."""

import streamlit as st

from app.parts.choices import read_choice
from app.parts.tables.learn.merge_frames import bpe_frames
from app.parts.tables.learn.merges import read_picks, run_with_picks, with_pick, write_picks
from app.parts.toy_words import DEFAULT_MERGES, MERGES, MOST_MERGES, linked_words
from app.parts.url_stepper import url_stepper
from app.session.url import UrlValue, whole_number
from app.texts.i18n import language, t
from app.views.learn_bpe.sources import MARKS
from engine.config import TIES
from engine.merge_settings import MergeSettings

PAGE, WORDS, STEP = "learn_bpe", "low_slides", "step"
PICKS: UrlValue[dict[int, int]] = UrlValue("picks", "learn_bpe.picks", read_picks, write_picks, {})


def merge_settings(mark: str, ties: str) -> MergeSettings:
    """The learner's settings for an end-of-word mark and a tie-breaking rule."""
    text, place = MARKS[mark]
    return MergeSettings(algorithm="bpe", vocab_size=None, ties=ties, end_of_word=text, mark_place=place)


def pick(number: int, value: str) -> None:
    if value.isdigit():
        PICKS.set(with_pick(PICKS.value, number, int(value)))


def render_stepper_figure() -> None:
    """The BPE stepper on the link's words."""
    settings = merge_settings(read_choice("mark", MARKS, "symbol"), read_choice("ties", TIES, TIES[0]))
    n_merges = whole_number(st.query_params.get(MERGES, "")) or DEFAULT_MERGES
    words = linked_words(PAGE, WORDS)
    steps, kept = run_with_picks(words, settings, min(n_merges, MOST_MERGES), PICKS.adopt())
    frames = bpe_frames(steps, settings, kept, language())
    url_stepper(STEP, frames, (steps[0].words, settings), t("learn_bpe.title"), pick)
