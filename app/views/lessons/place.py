"""The class' place: its plan, and the step that is shown."""

from dataclasses import dataclass

from app.lessons.plan import Plan, PlanStep
from app.texts.i18n import t

# The step from which on a class is shown scores such as F1, each briefly explained.
_SCORED_FROM = 3


@dataclass(frozen=True)
class Place:
    """A plan, and the name of its step in the URL."""

    plan: Plan
    name: str

    @property
    def names(self) -> list[str]:
        """The names of all steps, in order."""
        return list(self.plan.by_name)

    @property
    def index(self) -> int:
        """Of the step, from 0."""
        return self.names.index(self.name)

    @property
    def step(self) -> PlanStep:
        """The step."""
        return self.plan.by_name[self.name]

    @property
    def following(self) -> str:
        """The name of the next step; empty at the end."""
        return self.near(1)

    def near(self, by: int) -> str:
        """The name of the step that many steps on; empty if there is none."""
        at = self.index + by
        return self.names[at] if 0 <= at < len(self.names) else ""

    @property
    def is_scored(self) -> bool:
        """Whether scores are shown."""
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
