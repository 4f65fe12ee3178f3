"""Plans of a class under their names in an address: those of the app, and own ones, which are texts of the library."""

import re

from app.classroom.lessons import LESSONS, PLANS
from app.classroom.plan import Plan, checked_plan, read_plan
from app.server.library import library
from app.texts.catalogue import translate

DEFAULT_PLAN = "50"


def plan_name(text: str) -> str | None:
    return text if text in PLANS or re.fullmatch("[0-9a-f]{24}", text) else None


def find_plan(name: str) -> Plan:
    """The plan; InputError if there is none, or it is not sound."""
    return PLANS[name] if name in PLANS else read_plan(library().texts.find(name), LESSONS)


def save_plan(plan: Plan, owner: str) -> str:
    """Save a plan for a link; returns its name. A changed plan gets another name, so that links never change.

    Raises
    ------
    InputError : the plan is not sound, or the library cannot store it.
    """
    return library().texts.save(checked_plan(plan, LESSONS).to_json(), owner)


def plan_title(plan: Plan, language: str) -> str:
    return plan.title or translate("lessons.plan_option", language, minutes=plan.minutes)
