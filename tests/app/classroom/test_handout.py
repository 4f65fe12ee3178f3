"""The handout of a class: every question with room to write, the answers on a sheet of their own."""

import html
import re

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from app.classroom.lessons import LESSONS, PLANS
from app.classroom.own_question import OwnQuestion
from app.classroom.plan import Plan, PlanStep
from app.classroom.print import handout as module
from app.classroom.print.handout import PRINT, handout, handout_page, print_script
from app.texts.catalogue import translate


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("plan", PLANS)
def test_a_handout_asks_everything_and_answers_on_its_last_sheet(plan: str, language: str) -> None:
    page = handout_page(plan, language, has_answers=True)
    questions, answers = page.split('<section class="answers">')
    for name in PLANS[plan].by_name:
        assert html.escape(translate(f"lesson.{name}.name", language), quote=False) in questions
    assert len(re.findall("<article>", questions)) == len(PLANS[plan].steps)
    assert not re.search(r"\*\*|\]\(|`|\{|\ufffd", re.sub("<style>.*?</style>", "", page, flags=re.S))
    for name in PLANS[plan].by_name:
        if LESSONS[name].checks:
            why = translate(f"lesson.{name}.why", language, model="GPT-4")
            assert re.sub("[*`]", "", why)[:12] not in questions
            assert html.escape(why, quote=False)[:12] in answers
        notes = html.escape(translate(f"lesson.{name}.notes", language), quote=False)
        assert notes in answers and notes not in questions
    shared = handout_page(plan, language)
    assert shared == f"{questions}</html>"


def test_the_address_takes_only_what_there_is() -> None:
    client = TestClient(Starlette(routes=[Route("/handout", handout)]))
    usual = client.get("/handout?lang=ko").text
    assert usual == handout_page("50", "ko") == client.get("/handout?lang=ko&plan=<script>").text
    assert client.get("/handout?lang=en&plan=20").text == handout_page("20", "en") != usual


def test_a_vote_on_a_merge_says_what_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan((PlanStep(5, own=OwnQuestion("merge", "<b>Which?", "low:5 lower:2 newest:6")),), "Votes")
    monkeypatch.setattr(module, "find_plan", lambda name: plan)
    page = handout_page("50", "en", has_answers=True)
    assert "&lt;b&gt;Which?" in page and "n e w e s t ×6" in page
    assert "w\u00a0+\u00a0e" in page.split('class="answers"')[1]


def test_a_page_is_printed_by_a_script_of_the_server() -> None:
    client = TestClient(Starlette(routes=[Route("/handout", handout), Route(f"/{PRINT}", print_script)]))
    page = client.get("/handout?lang=en").text
    (script,) = re.findall('<script src="([^"]+)" defer></script>', page)
    assert page.count("<script") == 1 and '<button class="print"' in page
    assert "print()" in client.get(f"/{script}").text
