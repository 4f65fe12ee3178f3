"""What the components send to the browser, what they refuse, and what their scripts must not do."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from app.components.boards import cuts_payload
from app.components.component import RawText, as_bytes, index_or_none, sendable
from app.components.data import KwicPlace
from app.components.pictures import kwic_payload, lattice_payload, strip_payload
from app.components.players import stepper_payload, viterbi_payload
from app.components.sources import LABELS, SHARED, STREAMLIT, script
from app.texts.catalogue import template
from engine.pictures.showable import showable
from tests.conftest import ROOT

FOLDER = ROOT / "app" / "components"
DEMO = ROOT / "tests" / "browser" / "demo_components.py"
NO_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|javascript:"
)


_LATTICE: Any = {
    "chars": list("가나"),
    "arcs": [],
    "selected": None,
    "runner": None,
    "min_marginal": 0.0,
    "unit": "nat",
    "lang": "ko",
}
_VITERBI: Any = {
    "chars": ["가"],
    "arcs": [{"b": 0, "e": 1, "label": "가"}],
    "steps": [
        {"end": 1, "best": -1.0, "candidates": [{"arc": 0, "before": 0.0, "total": -1.0, "winner": True, "tie": False}]}
    ],
    "path": [0],
    "unit": "nat",
    "lang": "ko",
}


def _arc(b: int, e: int, **changes: Any) -> dict[str, Any]:
    own = {"b": b, "e": e, "label": "가", "m": 0.5, "lp": -1.0, "be": 0.5, "id": 1, "best": True, "fallback": False}
    return {**own, **changes}


def _lattice(arcs: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    return sendable(lattice_payload({**_LATTICE, "arcs": arcs, **changes}))


def _token(b: int, e: int, **changes: Any) -> dict[str, Any]:
    return {"label": "가", "b": b, "e": e, "hex": False, "ringed": False, "id": 1, "kind": "", **changes}


def _strip(*tokens: dict[str, Any], **changes: Any) -> dict[str, Any]:
    row = {"name": "A", "note": "", "tokens": tokens, **changes}
    return sendable(strip_payload([row], list("가나")))


def _viterbi(**changes: Any) -> dict[str, Any]:
    return sendable(viterbi_payload({**_VITERBI, **changes}))


def _stepper(*blocks: dict[str, Any]) -> dict[str, Any]:
    return sendable(stepper_payload([{"title": "t", "note": "n", "blocks": blocks}]))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("scripts/*.js")), ids=lambda path: path.name)
def test_no_script_makes_markup_or_code_from_text(path: Any) -> None:
    assert not NO_MARKUP.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("show", ["lattice", "long", "strip", "viterbi", "stepper"])
def test_each_component_is_registered_and_drawn(show: str) -> None:
    app = AppTest.from_file(str(DEMO), default_timeout=60)
    app.query_params["show"] = show
    app.run()
    assert not app.exception
    assert len(app.get("bidi_component")) == 1
    message = app.get("bidi_component")[0].proto
    assert len(message.js_content) < 400 and not message.css_content
    assert isinstance(json.loads(message.bytes), dict)


@pytest.mark.parametrize(("cuts", "shares"), [((2,), {}), ((5,), {}), ((), {2: 0.5})])
def test_cuts_beside_a_space_or_outside_are_refused(cuts: tuple[int, ...], shares: dict[int, float]) -> None:
    assert cuts_payload("가나 다", (1,), [{"label": "x", "shares": {1: 0.5}}])["places"] == (1,)
    with pytest.raises(ValueError, match="has no cut"):
        cuts_payload("가나 다", cuts, [{"label": "x", "shares": shares}])


def test_arcs_are_sent_in_columns() -> None:
    payload = _lattice([_arc(0, 1), _arc(1, 2, id=None, be=None, best=False)], selected=1, runner=[0])
    assert payload["columns"]["b"] == [0, 1]
    assert payload["columns"]["id"] == [1, None]
    assert {len(column) for column in payload["columns"].values()} == {2}


def test_half_a_pair_of_surrogates_is_sent_as_it_is() -> None:
    data = {"text": "가\ud83d나"}
    assert "가" in as_bytes(data).decode() and json.loads(as_bytes(data)) == data


def test_numpy_numbers_and_infinities_are_sent_as_json() -> None:
    begin, end = np.arange(2)
    arc = _arc(begin, end, m=np.float64(0.1), lp=-math.inf, be=math.nan, best=np.bool_(True), fallback=np.bool_(True))
    payload = _lattice([arc], selected=np.int64(0))
    assert json.loads(json.dumps(payload, allow_nan=False))["columns"]["lp"] == [None]
    strip = _strip(_token(np.int64(0), np.int64(1), hex=np.bool_(False), id=np.int32(4)))
    assert json.loads(json.dumps(strip))["rows"][0]["tokens"]["id"] == [4]


@pytest.mark.parametrize(
    ("arcs", "changes", "message"),
    [
        ([_arc(0, 3)], {}, "arc 0 covers characters 0 to 3 of 2"),
        ([_arc(1, 1)], {}, "covers"),
        ([_arc(-1, 1)], {}, "covers"),
        ([_arc(0, 1, m=1.5)], {}, "marginal"),
        ([_arc(0, 1, m=math.nan)], {}, "marginal"),
        ([_arc(0, 1)], {"selected": 1}, "selected, runner and fewest"),
        ([_arc(0, 1)], {"runner": [-1]}, "selected, runner and fewest"),
        ([_arc(0, 1)], {"fewest": [1]}, "selected, runner and fewest"),
        ([_arc(0, 1)], {"unit": "hartley"}, "'nat' or 'bit'"),
    ],
)
def test_a_lattice_that_does_not_fit_is_refused(
    arcs: list[dict[str, Any]], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _lattice(arcs, **changes)


@pytest.mark.parametrize(
    ("tokens", "changes", "message"),
    [
        ([_token(0, 3)], {}, "token 0 of A covers"),
        ([_token(1, 2), _token(0, 1)], {}, "order of the text"),
        ([_token(0, 1, kind="odd")], {}, "'odd' is no kind"),
        ([_token(0, 1)], {"kind": "odd"}, "no kind of row"),
    ],
)
def test_a_strip_that_does_not_fit_is_refused(
    tokens: list[dict[str, Any]], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _strip(*tokens, **changes)


def test_parts_of_a_character_may_share_it() -> None:
    (row,) = _strip(_token(0, 1), _token(0, 1, hex=True), _token(0, 2))["rows"]
    assert row["tokens"] == {"b": [0, 0, 0], "e": [1, 1, 2], "label": ["가"] * 3, "id": [1, 1, 1]}
    assert row["some"] == {"hex": {"1": True}}  # and no column for what no token has


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": []}, "a step for each"),
        ({"path": []}, "ends at character 0 of 1"),
        ({"path": [0, 0]}, "does not go on at character 1"),
        ({"path": [5]}, "does not go on"),
        ({"arcs": [{"b": 0, "e": 2, "label": "가"}]}, "arc 0 covers"),
        ({"unit": ""}, "'nat' or 'bit'"),
    ],
)
def test_viterbi_steps_that_do_not_fit_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _viterbi(**changes)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"kind": "table", "columns": ["a"], "rows": [["x", "y"]]}, "2 cells for 1 columns"),
        ({"kind": "table", "columns": ["a"], "rows": [], "marks": [{"row": 0, "column": 0, "mark": "new"}]}, "row 0"),
        ({"kind": "bars", "bars": [{"label": "x", "value": -1, "text": ""}]}, "at least 0"),
        ({"kind": "bars", "bars": [{"label": "x", "value": math.nan, "text": ""}]}, "at least 0"),
    ],
)
def test_a_block_that_does_not_fit_is_refused(block: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _stepper(block)


def test_a_player_without_frames_is_refused() -> None:
    with pytest.raises(ValueError, match="no frame"):
        stepper_payload([])


def test_text_keeps_its_line_ends() -> None:
    assert _stepper({"kind": "text", "text": "a\nb"})["frames"][0]["blocks"][0]["text"] == "a\nb"


def test_streamlit_says_what_is_translated() -> None:
    """Word for word, so that a Streamlit that words it otherwise is noticed."""
    folder = Path(streamlit.__file__).parent / "static/static/js"
    said = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.js"))
    texts = {template(key, "en").removeprefix("Error").removeprefix(": ") for key in STREAMLIT.values()}
    joined = re.compile(r"\{\w+\}|(Ctrl|⌘)\+|(apply|submit form)$|options?(?=\. )")
    assert [part for text in texts for part in joined.split(text) if part and part not in said] == []


@pytest.mark.parametrize("name", LABELS)
def test_a_component_is_sent_the_labels_that_its_script_shows(name: str) -> None:
    labels, source = LABELS[name], script(*SHARED[name], name)
    assert set(re.findall(r"labels\.(\w+)", source)) <= set(labels)
    # `labels.title`, { title } of the labels, labels[name] with a "title" among the names, labels[`kind_${kind}`]; the
    # names with dots come with the data.
    beginnings = "|".join(re.findall(r"labels\[`(\w+_)\$", source)) or "$"
    named = {
        label for label in labels if re.search(rf"\b{label}\b", source) or re.match(beginnings, label) or "." in label
    }
    assert set(labels) - named == set()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("안녕 👍", "안녕 👍"),
        ("\ufffd", "<0xEF><0xBF><0xBD>"),
        ("a\nb", "a<0x0A>b"),
        ("👩‍🌾", "👩‍🌾"),
        ("\u200d", "<0xE2><0x80><0x8D>"),
        ("\u202e", "<0xE2><0x80><0xAE>"),
        ("\ud83d", "<0xED><0xA0><0xBD>"),
    ],
)
def test_what_cannot_be_seen_is_hex(text: str, shown: str) -> None:
    assert showable(text) == shown


def test_data_are_sent_as_json_has_them() -> None:
    assert sendable({"a": [1 / 3, np.float32(0.5), True], "b": (np.int8(1), np.True_)}) == {
        "a": [0.333333333, 0.5, True],
        "b": [1, True],
    }
    assert sendable([None, math.inf, math.nan]) == [None, None, None]
    assert sendable(np.array([[1 / 3, -math.inf]])) == [[1 / 3, None]]
    assert sendable(["a\nb", RawText("a\nb")]) == ["a<0x0A>b", "a\nb"]


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 0), (2, 2), (3, None), (-1, None), (True, None), ("1", None), (1.0, None), (None, None)]
)
def test_what_a_browser_sends_is_checked(value: Any, expected: int | None) -> None:
    assert index_or_none(value, 3) == expected


def test_a_concordance_is_sent_column_by_column() -> None:
    places: list[KwicPlace] = [
        {"cuts": [[1], [], [0, 2]], "line": 1, "left": "나무\u202e", "token": "에", "right": " 꽃"},
        {"line": 7, "left": "", "token": "에", "right": ""},
    ]
    sent = sendable(kwic_payload(places, ["left", "token"]))
    assert sent["line"] == [1, 7] and sent["cuts"] == [[[1], [], [0, 2]], [[], [], []]]
    assert sent["left"] == ["나무<0xE2><0x80><0xAE>", ""]
    assert json.loads(json.dumps(sent, allow_nan=False)) == sent
    assert kwic_payload([], [])["file"] == []
    with pytest.raises(ValueError, match="no order"):
        kwic_payload(places, ["up"])
