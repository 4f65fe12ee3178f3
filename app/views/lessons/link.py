"""What a link to the page Class says: the plan, and the step of it."""

import re

from app.server.kept_plans import DEFAULT_PLAN, plan_name
from app.session.url import UrlValue
from app.texts.lessons import LESSONS


def step_name(text: str) -> str | None:
    """The name of a step in an address: of a lesson, or of one of the plan's own questions; None if it is neither."""
    return text if text in LESSONS or re.fullmatch("own-[0-9]{1,2}", text) else None


PLAN = UrlValue("plan", "lessons.plan", plan_name, str, DEFAULT_PLAN)
LESSON = UrlValue("lesson", "lessons.lesson", step_name, str, "tokens")
