"""The current question of a room: a lesson's, its check, or one of the lecturer's own."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from app.classroom.lessons import (
    LESSONS,
    PAYS_INSTEAD,
    PAYS_MODEL,
    Lesson,
    asked_in,
    given_words,
    marked_cuts,
    option_names,
)
from app.classroom.own_question import MERGE, OwnQuestion
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.question import Named, Question
from app.classroom.store.records import Room, StudentAnswer
from app.texts.catalogue import LANGUAGES, translate
from app.texts.plain import unmarked
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available

A = TypeVar("A")
_CHECK, _OWN_PREFIX = ".check", "own."


def step_of(lesson: str, language: str, is_check: bool = False) -> str:
    """The step name of a lesson's question or check in a class of this language."""
    return f"{lesson}.{language}{_CHECK if is_check else ''}"


class PosedQuestion(NamedTuple):
    """A question with its texts in the language of the room.

    Attributes
    ----------
    prompt : the question as plain text.
    named : labels of the options that have none, by code.
    given_head, given : material needed to answer, e.g. words with their counts, and its heading.
    gold : morpheme or word boundaries of a text to cut, even if no answer counts as right.
    """

    question: Question[Any]
    prompt: str
    named: Named
    given_head: str = ""
    given: tuple[str, ...] = ()
    gold: tuple[int, ...] | None = None

    def in_words(self, answer: object) -> str:
        """An answer to the question as people read it: `고구마|는`, the text of an option, numbers with their units."""
        return self.question.in_words(answer, self.named)


def posed_question(room: Room) -> PosedQuestion | None:
    """The current question of the room; None if there is none."""
    if own := own_of(room):
        return asked_own(own, room.language)
    lesson = LESSONS.get(room.step.partition(".")[0])
    if lesson is None:
        return None
    question, check = asked_in(lesson, room.language, is_available(PAYS_MODEL))
    is_check = room.step.endswith(_CHECK)
    if is_check and check is None:
        return None
    model = PUBLIC_TOKENIZERS[PAYS_MODEL if is_available(PAYS_MODEL) else PAYS_INSTEAD].title
    prompt = translate(f"lesson.{lesson.id}.{'check' if is_check else 'question'}", room.language, model=model)
    named = option_names(lesson.id, room.language)
    head, given = given_words(lesson, question, room.language)
    if is_check and check:
        return PosedQuestion(check, unmarked(prompt), named)
    return PosedQuestion(question, unmarked(prompt), named, head, tuple(given), _gold(lesson, question, room.language))


def asked_at(room: Room, step: str) -> PosedQuestion | None:
    """A question that the room was asked at some time, in the language it was asked in."""
    language = next((part for part in step.split(".") if part in LANGUAGES), room.language)
    return posed_question(room._replace(step=step, language=language))


def read_answers(question: Question[A], answers: Sequence[StudentAnswer]) -> list[A]:
    """The visible answers, parsed; invalid ones are left out."""
    found = (question.read(answer.content) for answer in answers if not answer.is_hidden)
    return [answer for answer in found if answer is not None]


def _gold(lesson: Lesson, question: object, language: str) -> tuple[int, ...] | None:
    if not isinstance(question, Cuts):
        return None
    text, cuts = marked_cuts(lesson.material.get(lesson.class_language(language), ""))
    return cuts if text == question.text else question.right


def own_step(number: int) -> str:
    """The step name of the lecturer's own question with this number, from 1."""
    return f"{_OWN_PREFIX}{number}"


def own_of(room: Room) -> OwnQuestion | None:
    """The lecturer's own question, if that is the current step."""
    number, owns = room.step.removeprefix(_OWN_PREFIX), room.state.owns
    if number == room.step or not number.isdecimal() or not 0 < int(number) <= len(owns):
        return None
    own = owns[int(number) - 1]
    return own if own.is_sound else None


def own_prompt(own: OwnQuestion, language: str) -> str:
    return own.prompt or translate(f"room.own.prompt.{own.kind}", language)


def asked_own(own: OwnQuestion, language: str) -> PosedQuestion:
    """A question of the lecturer's own, which is sound."""
    prompt = own_prompt(own, language)
    if own.kind != MERGE:
        question = own.question
        return PosedQuestion(question, prompt, {}, gold=question.right if isinstance(question, Cuts) else None)
    vote = own.vote
    words = tuple(f"{' '.join(symbols)} ×{count}" for symbols, count in vote.words)
    return PosedQuestion(vote.question, prompt, {}, translate("lessons.words_head", language), words)
