"""Plans of a class: written and read again, and what is wrong with those that are refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classroom.lessons import LESSONS, PLANS
from app.classroom.own_question import OwnQuestion
from app.classroom.plan import MARK, Plan, PlanStep, checked_plan, read_plan
from engine.errors import InputError

_OWN = (
    OwnQuestion("cuts", "어디를 자를까요?", "고구마는 맛있다", right="고구마|는 맛있|다"),
    OwnQuestion("choice", "", "a\nb", right="b"),
    OwnQuestion("numbers", "How many?", "", right="7"),
    OwnQuestion("order", "", "x\ny\nz", right="z\nx\ny"),
    OwnQuestion("word", "", "", right="est\n😀"),
    OwnQuestion("merge", "", "low:5 lower:2 newest:6"),
    OwnQuestion("word", "no right answer", ""),
)
_notes = st.text(st.characters(categories=["L", "N", "P", "Zs"]) | st.just("\n"), max_size=30)
_lessons = st.lists(st.sampled_from(list(LESSONS)), unique=True, max_size=6)


@given(_lessons, st.lists(st.sampled_from(_OWN), min_size=1, max_size=5), st.integers(1, 20), _notes, st.randoms())
def test_a_plan_is_read_as_it_was_written(
    lessons: list[str], owns: list[OwnQuestion], minutes: int, notes: str, dice: Any
) -> None:
    steps = [PlanStep(minutes, one, notes=notes) for one in lessons] + [PlanStep(1, own=own) for own in owns]
    dice.shuffle(steps)
    plan = Plan(tuple(steps), "제목 1", "ko")
    assert read_plan(plan.to_json(), LESSONS) == plan
    assert list(plan.by_name.values()) == steps


def test_the_plans_of_the_app_are_plans_like_any_other() -> None:
    for plan in PLANS.values():
        assert read_plan(plan.to_json(), LESSONS) == plan


def test_right_answers_are_scored() -> None:
    answers = ("3.7", "2", "7", "3.1.2", "EST", "w\u00a0+\u00a0e")
    for own, answer in zip(_OWN, answers, strict=False):
        question = own.question
        assert question.score(question.read(answer)) == 1, own
    assert _OWN[-1].question.solution is None


def _file(step: dict[str, Any] | None = None, **head: Any) -> str:
    kept = {MARK: 1, "title": "", "language": "ko", "minutes": 5, "steps": [{"lesson": "bpe", "minutes": 5}]}
    if step is not None:
        kept["steps"] = [{"minutes": 5, **step}]
    return json.dumps(kept | head)


_BPE = {"lesson": "bpe", "minutes": 5}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not the file of a plan"),
        ("[" * 50_000, "not the file of a plan"),
        ("[]", "not the file of a plan"),
        ('{"a": NaN}', "not the file of a plan"),
        (_file(steps=None), "not the file of a plan"),
        (_file(steps=["bpe"]), "not the file of a plan"),
        (_file(minutes=float("nan")), "not the file of a plan"),
        (" " * 200_001, "more than 200,000 characters"),
        (_file(**{MARK: 2}), "this app reads version 1"),
        (_file(**{MARK: True}), "this app reads version 1"),
        (_file(title=3), "invalid value of title"),
        (_file(title="x" * 81), "title has 81 characters"),
        (_file(title="a\u202eb"), "U+202E"),
        (_file(title="a\x00b"), "U+0000"),
        (_file(title="\ud800"), "U+D800"),
        (_file(language="../ko"), "must be a code"),
        (_file(steps=[]), "0 steps"),
        (_file(steps=[_BPE] * 31), "31 steps"),
        (_file(steps=[_BPE, _BPE]), "step 2: this lesson is in the plan already"),
        (_file(minutes=6), "says 6 minutes, but its steps add up to 5"),
        (_file(minutes=5.0), "invalid value of minutes"),
        (_file({"lesson": "bpe", "minutes": 0}), "step 1: minutes must be from 1 to 300"),
        (_file({"lesson": "bpe", "minutes": 10**400}), "invalid value of minutes"),
        (_file({"lesson": "bpe", "minutes": True}), "invalid value of minutes"),
        (_file(steps=[{"lesson": name, "minutes": 200} for name in ("bpe", "em")]), "so must their sum"),
        (_file({"lesson": "<script>"}), "no lesson '<script>'"),
        (_file({"lesson": ["bpe"]}), "invalid value of lesson"),
        (_file({"lesson": "bpe", "notes": "x" * 2001}), "notes has 2001 characters"),
        (_file({"kind": "riddle"}), "type of question"),
        (_file({"kind": "merge", "content": "x:1"}), "pairs"),
        (_file({"kind": "cuts", "content": "a"}), "can be cut"),
        (_file({"kind": "cuts", "content": "undo", "right": "un|did"}), "same sentence"),
        (_file({"kind": "cuts", "content": "un do", "right": "un| do"}), "same sentence"),
        (_file({"kind": "cuts", "content": "a" * 121}), "121 characters"),
        (_file({"kind": "choice", "content": "a"}), "2 to 8"),
        (_file({"kind": "choice", "content": "a\nb", "right": "c"}), "not among the options"),
        (_file({"kind": "order", "content": "a\nb", "right": "a"}), "all options"),
        (_file({"kind": "numbers", "right": "nan"}), "whole number"),
        (_file({"kind": "numbers", "right": "1e3"}), "whole number"),
        (_file({"kind": "word", "right": "x" * 61}), "accepted answers"),
        (_file({"kind": "word", "prompt": "x" * 201}), "prompt has 201 characters"),
    ],
)
def test_a_file_that_is_no_sound_plan_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        read_plan(text, LESSONS)
    assert says in str(error.value)
    assert error.value.text("ko") != str(error.value)


def test_a_plan_is_checked_when_it_is_saved() -> None:
    with pytest.raises(InputError, match="no lesson"):
        checked_plan(Plan((PlanStep(5, "unknown"),)), LESSONS)


def test_a_visible_space_in_a_file_is_a_space() -> None:
    step = {"kind": "cuts", "prompt": "?", "content": "␣고구마|는␣맛있다", "right": "", "minutes": 3}
    plan = read_plan(json.dumps({MARK: 1, "steps": [step], "title": "", "language": "", "minutes": 3}), LESSONS)
    assert plan.steps[0].own is not None and plan.steps[0].own.content == " 고구마|는 맛있다"
