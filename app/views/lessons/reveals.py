"""What a lesson shows with its question, and the live view that answers it; which has nothing is not revealed."""

from collections.abc import Callable

from app.views.lessons.counting import render_bytes, render_pays, render_thunder
from app.views.lessons.counting import render_words as render_unknown
from app.views.lessons.cutting import render_boundaries, render_tokens
from app.views.lessons.lesson_now import LessonNow
from app.views.lessons.toys import (
    render_bpe,
    render_em,
    render_tokens_of,
    render_unigram,
    render_wordpiece,
    render_words,
)

_MATERIAL: dict[str, Callable[..., None]] = {
    "bpe": lambda lesson, question: render_words(lesson),
    "wordpiece": lambda lesson, question: render_words(lesson),
    "unigram": render_tokens_of,
    "em": lambda lesson, question: render_words(lesson),
}
_REVEALS: dict[str, Callable[..., None]] = {
    "tokens": render_tokens,
    "words": render_unknown,
    "bpe": render_bpe,
    "wordpiece": render_wordpiece,
    "unigram": render_unigram,
    "em": render_em,
    "bytes": render_bytes,
    "pays": render_pays,
    "thunder": render_thunder,
    "boundaries": render_boundaries,
}


def is_revealed(lesson: LessonNow) -> bool:
    """Whether the lesson has anything to reveal: the exit ticket has not."""
    return lesson.id in _REVEALS


def render_material(lesson: LessonNow) -> None:
    """What is shown with the question."""
    if lesson.id in _MATERIAL:
        _MATERIAL[lesson.id](lesson.lesson, lesson.question)


def render_reveal(lesson: LessonNow, answer: object) -> None:
    """The live view, next to an answer: the visitor's, or the class'. It is not computed before there is one."""
    _REVEALS[lesson.id](lesson.lesson, lesson.question, answer)
