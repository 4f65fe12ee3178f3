"""What a link to the page Class says: the plan, and the step of it."""

import re
from dataclasses import dataclass

from app.classroom.lessons import LESSONS
from app.classroom.plan import Plan, PlanStep
from app.classroom.stored_plans import DEFAULT_PLAN, plan_name
from app.session.url import UrlValue
from app.texts.i18n import t

# The step from which on a class is shown scores such as F1, each briefly explained.
_SCORED_FROM = 3


def step_name(text: str) -> str | None:
    return text if text in LESSONS or re.fullmatch("own-[0-9]{1,2}", text) else None


PLAN = UrlValue("plan", "lessons.plan", plan_name, str, DEFAULT_PLAN)
LESSON = UrlValue("lesson", "lessons.lesson", step_name, str, "tokens")


@dataclass(frozen=True)
class PlanPlace:
    """A plan, and the name of its step in the URL."""

    plan: Plan
    name: str

    @property
    def names(self) -> list[str]:
        return list(self.plan.by_name)

    @property
    def index(self) -> int:
        return self.names.index(self.name)

    @property
    def step(self) -> PlanStep:
        return self.plan.by_name[self.name]

    @property
    def following(self) -> str:
        return self.near(1)

    def near(self, by: int) -> str:
        """The name of the step that many steps on; empty if there is none."""
        at = self.index + by
        return self.names[at] if 0 <= at < len(self.names) else ""

    @property
    def is_scored(self) -> bool:
        return self.index >= _SCORED_FROM

    def clock(self) -> str:
        """The step's time within the class."""
        begin = sum(earlier.minutes for earlier in self.plan.steps[: self.index])
        return t(
            "lessons.minutes_left",
            number=self.index + 1,
            total=len(self.names),
            minutes=self.step.minutes,
            begin=begin,
            end=begin + self.step.minutes,
        )
