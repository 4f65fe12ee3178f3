"""Components in a browser without a server: what a width or a late answer does to them."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from app.components.boards import cut_board_payload
from app.components.component import HTML, sendable
from app.components.data import Frame
from app.components.players import stepper_payload, viterbi_payload
from app.components.sources import LABELS, script, style
from engine.boundaries.utility import Terms

PHONE = {"viewport": {"width": 390, "height": 844}}

_MOUNT = """async ([source, data]) => {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const draw = (await import(url)).default;
    window.told = [];
    const setTriggerValue = (name, value) => window.told.push(value);
    window.update = (changes) => {
        Object.assign(data, changes);
        draw({ data, parentElement: document.body, setTriggerValue });
    };
    window.update({});
}"""


def _mount(page: Page, name: str, data: dict[str, Any], **labels: str) -> Locator:
    """The component with labels that name themselves."""
    page.set_content(f"<style>{style('base', 'controls', name)}</style>{HTML}")
    labels = {label: label for label in LABELS[name]} | labels
    sent = {"lang": "ko", "ui_lang": "en", "heard": 0, "labels": labels} | sendable(data)
    page.evaluate(_MOUNT, [script("dom", "grid", "controls", name), sent])
    return page.locator(".root")


def _cut_board(page: Page, text: str) -> Locator:
    terms = Terms(np.zeros((len(text), 3)), np.ones((len(text), 3)))
    return _mount(page, "cut_board", cut_board_payload(text, terms, [], [], 4.0))


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_the_cut_board_shows_the_whole_sentence_on_a_phone(page: Page) -> None:
    board = _cut_board(page, "나는 학교에서 점심을 먹고 집에 갔습니다".replace(" ", ""))
    width = board.evaluate("root => root.clientWidth")
    boxes = [character.bounding_box() for character in board.locator(".char").all()]
    assert len(boxes) == 17 and all(box and box["x"] + box["width"] <= width + 8 for box in boxes)


def test_lambda_does_not_jump_back_to_what_the_visitor_has_left(page: Page) -> None:
    board = _cut_board(page, "가나다")
    slider = board.get_by_role("slider", name="lambda")
    for _ in range(2):
        slider.press("ArrowRight")
    assert page.evaluate("told") == [{"value": 4.25, "number": 1}, {"value": 4.5, "number": 2}]
    for answer in ({"lam": 4.25, "heard": 1}, {"lam": 4.5, "heard": 2}):
        page.evaluate("update", answer)
        expect(slider).to_have_value("4.5")
    page.evaluate("update", {"lam": 1, "heard": 2})
    expect(slider).to_have_value("1")


def test_the_viterbi_block_is_not_blank_before_the_first_step(page: Page) -> None:
    candidate = {"arc": 0, "before": 0.0, "total": -1.0, "winner": True, "tie": False}
    data = viterbi_payload(
        {
            "chars": ["가"],
            "arcs": [{"b": 0, "e": 1, "label": "가"}],
            "steps": [{"end": 1, "best": -1.0, "candidates": [candidate]}],
            "path": [0],
            "unit": "nat",
            "lang": "ko",
        }
    )
    row = _mount(page, "viterbi", data | {"start": 0, "tells": False}).locator(".candidates tbody tr")
    expect(row).to_have_text("∅–––= 0.000✓")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_highlighted_pair_stands_on_one_line_and_one_is_singular(page: Page) -> None:
    tokens = [{"text": f"##{letter}"} for letter in "abcdefgh"]
    for place in range(len(tokens) - 1):
        row = [token | {"mark": "chosen" if k in (place, place + 1) else None} for k, token in enumerate(tokens)]
        frame: Frame = {"title": "t", "note": "n", "blocks": [{"kind": "tokens", "rows": [{"tokens": row}]}]}  # type: ignore[typeddict-item]
        data = stepper_payload([frame, frame]) | {"tells": False, "run": None, "start": 0}
        root = _mount(page, "stepper", data, place="{index} of {last} {last:step|steps}")
        pair = [chip.bounding_box() for chip in root.locator(".chip.chosen").all()]
        assert len(pair) == 2 and pair[0] and pair[1] and pair[0]["y"] == pair[1]["y"]
        expect(root.locator(".counter")).to_have_text("0 of 1 step")
