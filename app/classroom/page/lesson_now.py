"""A lesson as the page asks it: its texts, and what a visitor has answered so far, which is in the URL."""

from dataclasses import dataclass
from typing import Any

from app.classroom.lessons import LESSONS, Lesson, asked_in, option_names
from app.classroom.page.counting import has_public, pays_model
from app.classroom.page.question import answer_value, is_answered
from app.classroom.questions.question import Named, Question
from app.session.url import UrlValue, one_of
from app.texts.i18n import language, t

STAGES = ("predict", "reveal", "understand")


def stage_of(name: str) -> UrlValue[str]:
    return UrlValue("stage", f"lessons.stage.{language()}.{name}", one_of(STAGES), str, STAGES[0])


@dataclass(frozen=True)
class LessonNow:
    """A lesson with its question and check in the language of the page; the exit ticket has no check."""

    lesson: Lesson
    question: Question[Any]
    check: Question[Any] | None

    @property
    def id(self) -> str:
        return self.lesson.id

    @property
    def stage(self) -> UrlValue[str]:
        return stage_of(self.id)

    @property
    def guess(self) -> UrlValue[Any]:
        return answer_value("guess", f"lessons.guess.{language()}.{self.id}", self.question)

    @property
    def reply(self) -> UrlValue[Any] | None:
        if self.check is None:
            return None
        return answer_value("reply", f"lessons.reply.{language()}.{self.id}", self.check)

    @property
    def is_answered(self) -> bool:
        return is_answered(self.question, self.guess)

    @property
    def named(self) -> Named:
        return option_names(self.id, language())

    def text(self, what: str) -> str:
        return t(f"lesson.{self.id}.{what}", model=pays_model())


def lesson_now(id_: str) -> LessonNow:
    lesson = LESSONS[id_]
    return LessonNow(lesson, *asked_in(lesson, language(), has_public()))
