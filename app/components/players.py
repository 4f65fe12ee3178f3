"""Players that go step by step: prepared frames of a lesson, and the Viterbi algorithm over a lattice.

Step, Back, Run, speed and a slider; all steps are sent at once, so one needs no round trip.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.components.component import BrowserEvent, RawText, check_spans, columns, draw, index_or_none, require
from app.components.data import Block, Frame, TableBlock, ViterbiData
from engine.pictures.showable import showable


def stepper(
    key: str,
    frames: Sequence[Frame],
    *,
    labels: Mapping[str, str] | None = None,
    lang: str,
    start: int | None = None,
    run: int | None = None,
    on_step: Callable[[int], None] | None = None,
    on_pick: Callable[[int, str], None] | None = None,
) -> None:
    """Draw frames with tables, tokens, text and bars.

    Parameters
    ----------
    key : of the element in the page.
    frames : at least one; see Frame.
    labels : texts in place of those of the catalogue, by their names.
    lang : language of the tokens.
    start : frame to show when the frames are new; by default the one shown before, or the first.
    run : number of the sequence; while it is unchanged, new frames keep the visitor's step if `on_step` has not
        reported it yet, or reported it while these frames were being made.
    on_step : called with the frame on which the visitor stays.
    on_pick : called with the frame and the text of the picked row, before the script runs again.

    Raises
    ------
    ValueError : there is no frame, a row has another length than the columns, or a bar no length.
    """
    n_frames = len(frames)
    shown_first = None if start is None else max(0, min(start, n_frames - 1))
    data = {"lang": lang, "tells": on_step is not None, "run": run, "start": shown_first}

    def pick(value: Any) -> tuple[int, str] | None:
        if not isinstance(value, Mapping) or not isinstance(text := value.get("value"), str):
            return None
        index = index_or_none(value.get("index"), n_frames)
        return None if index is None else (index, text)

    def picked(value: tuple[int, str]) -> None:
        if on_pick is not None:
            on_pick(*value)

    draw(
        "stepper",
        key,
        stepper_payload(frames) | data,
        labels,
        stepped=BrowserEvent(lambda value: index_or_none(value, n_frames), on_step),
        picked=BrowserEvent(pick, picked),
    )


def stepper_payload(frames: Sequence[Frame]) -> dict[str, Any]:
    require(len(frames) > 0, "there is no frame; give at least one")
    return {"frames": [{**frame, "blocks": [_block(block) for block in frame["blocks"]]} for frame in frames]}


def _block(block: Block) -> dict[str, Any]:
    sent: dict[str, Any] = {"caption": "", "width": "own", **block}
    if block["kind"] == "table":
        _check_table(block)
        rows = [
            ["–" if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row]
            for row in block["rows"]
        ]
        picks = [pick and RawText(pick) for pick in block.get("picks", ())]
        return sent | {"rows": rows, "marks": block.get("marks", ()), "picks": picks}
    if block["kind"] == "text":
        return sent | {"text": RawText("\n".join(map(showable, block["text"].split("\n"))))}
    if block["kind"] == "bars":
        for bar in block["bars"]:
            is_length = math.isfinite(bar["value"]) and bar["value"] >= 0
            require(is_length, f"the bar {bar['label']!r} has the value {bar['value']}; it must be at least 0")
    return sent


def _check_table(block: TableBlock) -> None:
    width, rows, picks = len(block["columns"]), block["rows"], block.get("picks", ())
    for index, row in enumerate(rows):
        require(len(row) == width, f"row {index} of a table has {len(row)} cells for {width} columns")
    require(len(picks) in (0, len(rows)), f"there are {len(picks)} picks for {len(rows)} rows; give one for each")
    for mark in block.get("marks", ()):
        column = mark["column"]
        is_inside = 0 <= mark["row"] < len(rows) and (column is None or 0 <= column < width)
        require(is_inside, f"a mark is at row {mark['row']}, column {column}; the table is {len(rows)} x {width}")


def scrubber(key: str, n_steps: int, at: int, on_step: Callable[[int], None]) -> None:
    """Draw the controls of what the page draws elsewhere, `at` one of the steps; `on_step` gets every step at once."""
    stepped = BrowserEvent(lambda value: index_or_none(value, n_steps), on_step)
    draw("scrubber", key, {"size": n_steps, "start": at}, stepped=stepped)


def viterbi_stepper(
    key: str,
    data: ViterbiData,
    *,
    labels: Mapping[str, str] | None = None,
    start: int = 0,
    hidden: bool = False,
    on_step: Callable[[int], None] | None = None,
) -> None:
    """Draw the steps of the Viterbi algorithm over the lattice of a sentence.

    Parameters
    ----------
    key : of the element in the page.
    data : see ViterbiData; its steps are those of `engine.lattice.lattice.Lattice.viterbi_steps`.
    labels : texts in place of those of the catalogue, by their names.
    start : step to show when the characters are new: the cells from the left, then the path from its end.
    hidden : whether a step before every cell asks for its best candidate, which the next step shows.
    on_step : called with the step on which the visitor stays, before the script runs again.

    Raises
    ------
    ValueError : a step is missing or out of order, or an arc does not end where its step does.
    """
    n_steps = 1 + len(data["steps"]) * (1 + hidden) + len(data["path"])
    view = {"hidden": hidden, "tells": on_step is not None, "start": max(0, min(start, n_steps - 1))}
    stepped = BrowserEvent(lambda value: index_or_none(value, n_steps), on_step)
    draw("viterbi", key, viterbi_payload(data) | view, labels, stepped=stepped)


def viterbi_payload(data: ViterbiData) -> dict[str, Any]:
    """The data checked, its arcs in columns."""
    arcs, steps, n_chars = data["arcs"], data["steps"], len(data["chars"])
    check_spans(arcs, n_chars, "arc")
    is_complete = [step["end"] for step in steps] == list(range(1, n_chars + 1))
    require(is_complete, f"there are {n_chars} characters; give a step for each, in order")
    for step in steps:
        for index in (candidate["arc"] for candidate in step["candidates"]):
            is_at_end = 0 <= index < len(arcs) and arcs[index]["e"] == step["end"]
            require(is_at_end, f"the candidate {index} of step {step['end']} does not end there")
    at = 0
    for index in data["path"]:
        is_next = 0 <= index < len(arcs) and arcs[index]["b"] == at
        require(is_next, f"the path does not go on at character {at}; give its arcs in order")
        at = arcs[index]["e"]
    require(at == n_chars, f"the path ends at character {at} of {n_chars}; give a whole segmentation")
    require(data["unit"] in ("nat", "bit"), f"the unit is {data['unit']!r}; give 'nat' or 'bit'")
    return {**data, "arcs": columns(arcs, "b", "e", "label"), "total": steps[-1]["best"] if steps else 0.0}
