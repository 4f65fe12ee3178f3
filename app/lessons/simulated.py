"""Simulated students, for a lecturer to try a class alone: answers scattered as those of a real class."""

import random
from typing import Any

from app.lessons.questions import Choice, Cuts, Numbers, Order, Question, Word, cut_places

# Probability of a right answer, of making a right cut, and of making a wrong one.
_RIGHT, _RIGHT_CUT, _WRONG_CUT = 0.55, 0.75, 0.15
_WORDS = {
    "ko": ("토큰", "어절은 띄어쓰기 단위", "왜 한국어가 더 비싼지", "BPE", "형태소와 토큰이 다르다"),
    "en": ("token", "words are not tokens", "why Korean costs more", "BPE", "a morpheme is not a token"),
}


def simulated_answer(question: Question[Any], language: str, dice: random.Random) -> Any:
    """A complete random answer to a question."""
    if isinstance(question, Cuts):
        right = question.right or ()
        return tuple(
            place
            for place in cut_places(question.text)
            if dice.random() < (_RIGHT_CUT if place in right else _WRONG_CUT if right else 0.3)
        )
    if isinstance(question, Numbers):
        return tuple(_number(question, place, dice) for place in range(len(question.labels)))
    if isinstance(question, Choice):
        is_right = question.right and dice.random() < _RIGHT
        return question.right[0] if is_right else dice.choice(question.options).code
    if isinstance(question, Order):
        codes = [option.code for option in question.options]
        return question.right if question.right and dice.random() < _RIGHT else tuple(dice.sample(codes, len(codes)))
    assert isinstance(question, Word)
    return (
        question.right[0]
        if question.right and dice.random() < _RIGHT
        else dice.choice(_WORDS.get(language, _WORDS["en"]))[: question.limit]
    )


def _number(question: Numbers, place: int, dice: random.Random) -> float:
    about = question.right[place] if question.right else 10.0
    n_steps = round(about * dice.lognormvariate(0, 0.35) / question.step)
    # A slider at its low end does not count as an answer.
    low = question.low + (question.step if question.is_slider else 0)
    return min(question.high, max(low, round(n_steps * question.step, 6)))
