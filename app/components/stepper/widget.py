"""A player of prepared frames: Step, Back, Run, speed and a slider over tables, tokens, text and bars."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.components.shared.component import checked_labels, index_or_none, number, require
from app.components.shared.widget import Component
from app.components.stepper.data import BarsBlock, Block, Frame, Mark, TableBlock, TextBlock, TokensBlock
from app.components.viterbi.widget import CONTROL_LABELS
from app.texts.i18n import raw
from engine.pictures.showable import showable

STEPPER_LABELS = (
    *CONTROL_LABELS,
    "title",  # accessible name of the component
    "stage",  # accessible name of the part that changes
    "mark_chosen",  # accessible description of a marked part
    "mark_new",
    "mark_gone",
    "mark_tie",
    "pick",  # label of the button in a row
    "keys",
)

_MARKS = ("chosen", "new", "gone", "tie", None)
_WIDTHS = ("own", "half", "full")

_component = Component("stepper", ("grid", "controls"), STEPPER_LABELS, lambda name: raw(f"stepper.{name}"))


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
    """Draw the player; all frames are sent at once, so a step needs no round trip.

    Parameters
    ----------
    key : of the element in the page.
    frames : at least one; see Frame.
    labels : texts in place of those of the catalogue, by their names in STEPPER_LABELS.
    lang : language of the tokens.
    start : frame to show when the frames are new; by default the one shown before, or the first.
    run : number of the sequence; while it is unchanged, new frames keep the visitor's step if `on_step` has not
        reported it yet, or reported it while these frames were being made.
    on_step : called with the frame on which the visitor stays.
    on_pick : called with the frame and the text of the picked row, before the script runs again.

    Raises
    ------
    ValueError : a label is missing, there is no frame, a row has another length than the columns, or a mark or a
        block is unknown.
    """
    n_frames = len(frames)
    data = stepper_payload(frames, _component.labels(labels))
    data |= {"lang": lang, "tells": on_step is not None, "run": run}
    data["start"] = None if start is None else max(0, min(start, n_frames - 1))

    def stepped(told: Any) -> None:
        if on_step is not None and (index := index_or_none(told, n_frames)) is not None:
            on_step(index)

    def picked(told: Any) -> None:
        if on_pick is not None and isinstance(told, Mapping):
            index, value = index_or_none(told.get("index"), n_frames), told.get("value")
            if index is not None and isinstance(value, str):
                on_pick(index, value)

    _component.draw(key, data, stepped=stepped, picked=picked)


def stepper_payload(frames: Sequence[Frame], labels: Mapping[str, str]) -> dict[str, Any]:
    """What is sent to the browser: the frames checked."""
    require(len(frames) > 0, "there is no frame; give at least one")
    return {
        "frames": [
            {
                "title": showable(frame["title"]),
                "note": showable(frame["note"]),
                "blocks": [_block(block) for block in frame["blocks"]],
            }
            for frame in frames
        ],
        "labels": checked_labels(labels, STEPPER_LABELS),
    }


def _block(block: Block) -> dict[str, Any]:
    kinds: dict[str, Callable[[Any], dict[str, Any]]] = {
        "table": _table,
        "tokens": _tokens,
        "text": _text,
        "bars": _bars,
    }
    require(block["kind"] in kinds, f"no block is called {block['kind']!r}; there are {', '.join(kinds)}")
    width = block.get("width", "own")
    require(width in _WIDTHS, f"no width is called {width!r}; there are {', '.join(_WIDTHS)}")
    caption = showable(block.get("caption", ""))
    return {"kind": block["kind"], "caption": caption, "width": width, **kinds[block["kind"]](block)}


def _mark(mark: Mark) -> Mark:
    require(mark in _MARKS, f"no mark is called {mark!r}; there are chosen, new, gone and tie")
    return mark


def _table(block: TableBlock) -> dict[str, Any]:
    width, rows = len(block["columns"]), block["rows"]
    for index, row in enumerate(rows):
        require(len(row) == width, f"row {index} of a table has {len(row)} cells for {width} columns")
    picks = block.get("picks", ())
    require(len(picks) in (0, len(rows)), f"there are {len(picks)} picks for {len(rows)} rows; give one for each")
    for mark in block.get("marks", ()):
        column = mark["column"]
        inside = 0 <= mark["row"] < len(rows) and (column is None or 0 <= column < width)
        require(inside, f"a mark is at row {mark['row']}, column {column}; the table is {len(rows)} x {width}")
    return {
        "columns": [showable(name) for name in block["columns"]],
        "rows": [[_cell(cell) for cell in row] for row in rows],
        "marks": [
            {"row": mark["row"], "column": mark["column"], "mark": _mark(mark["mark"])}
            for mark in block.get("marks", ())
        ],
        "picks": [None if pick is None else str(pick) for pick in picks],
    }


def _cell(cell: str | int | float) -> str | int | float:
    if isinstance(cell, str):
        return showable(cell)
    if isinstance(cell, float):
        value = number(cell)
        return "–" if value is None else value
    return int(cell)


def _tokens(block: TokensBlock) -> dict[str, Any]:
    return {
        "rows": [
            {
                "label": showable(row.get("label", "")),
                "tokens": [
                    {"text": showable(token["text"]), "mark": _mark(token.get("mark"))} for token in row["tokens"]
                ],
            }
            for row in block["rows"]
        ]
    }


def _text(block: TextBlock) -> dict[str, Any]:
    return {"text": "\n".join(showable(line) for line in block["text"].split("\n"))}


def _bars(block: BarsBlock) -> dict[str, Any]:
    for bar in block["bars"]:
        is_length = number(bar["value"]) is not None and bar["value"] >= 0
        require(is_length, f"the bar {bar['label']!r} has the value {bar['value']}; it must be at least 0")
    return {
        "bars": [
            {
                "label": showable(bar["label"]),
                "value": float(bar["value"]),
                "text": showable(bar["text"]),
                "mark": _mark(bar.get("mark")),
            }
            for bar in block["bars"]
        ],
        "max": float(block.get("max", 0.0)),
    }
