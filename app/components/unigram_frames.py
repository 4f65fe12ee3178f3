"""Frames for the player: the Viterbi table of a word cell by cell, and the rounds of pruning by loss."""

import math
from collections.abc import Sequence

from app.components.stepper import CellMark, Frame, Token, TokenRow
from app.i18n import t
from app.text import visible_space
from engine.lessons.toy_unigram import Cell, UnigramStep

_MAX_TOKENS, _MAX_WORDS = 16, 30


def viterbi_frames(word: str, cells: Sequence[Cell]) -> list[Frame]:
    """One frame for every position: the ways to reach it, the best of them, and the table so far."""
    frames = [_viterbi_frame(word, cells, k) for k in range(len(cells))]
    if cells and cells[-1].best is not None:
        frames.append(_path_frame(word, cells))
    return frames


def _viterbi_frame(word: str, cells: Sequence[Cell], k: int) -> Frame:
    cell = cells[k]
    rows: list[list[str | int | float]] = []
    marks: list[CellMark] = []
    for row, candidate in enumerate(cell.candidates):
        before = candidate.total - candidate.log_prob
        rows.append([visible_space(candidate.token), visible_space(word[: candidate.begin]) or "–", f"{before:.3f}",
                     f"{candidate.log_prob:.3f}", f"{candidate.total:.3f}"])  # fmt: skip
        if candidate == cell.best:
            marks.append({"row": row, "column": None, "mark": "chosen"})
    if cell.best is None:
        note = t("learn_unigram.cell.none")
    else:
        note = t("learn_unigram.cell.note", count=len(cell.candidates), token=visible_space(cell.best.token))
        if len(cell.ties) > 1:
            note += " " + t("learn_unigram.cell.tie", tokens=", ".join(visible_space(c.token) for c in cell.ties))
    return {
        "title": t("learn_unigram.cell.title", part=visible_space(word[: cell.end])),
        "note": note,
        "blocks": [
            {"kind": "table", "columns": [t(f"learn_unigram.column.{name}") for name in
             ("last", "before", "best_before", "log_prob", "total")], "rows": rows, "marks": marks,
             "caption": t("learn_unigram.cell.ways")},
            {"kind": "table", "columns": [t(f"learn_unigram.column.{name}") for name in ("part", "best", "back")],
             "rows": _filled(word, cells[: k + 1]), "marks": [{"row": k, "column": None, "mark": "new"}],
             "caption": t("learn_unigram.cell.table")},
        ],
    }  # fmt: skip


def _filled(word: str, cells: Sequence[Cell]) -> list[list[str | int | float]]:
    return [
        [visible_space(word[: cell.end]), f"{cell.best.total:.3f}", visible_space(cell.best.token)]
        if cell.best
        else [visible_space(word[: cell.end]), "−∞", "–"]
        for cell in cells
    ]


def _path_frame(word: str, cells: Sequence[Cell]) -> Frame:
    tokens: list[Token] = []
    end = len(word)
    while end > 0:
        best = cells[end - 1].best
        assert best is not None
        tokens.insert(0, {"text": visible_space(best.token), "mark": "chosen"})
        end = best.begin
    last = cells[-1].best
    assert last is not None
    return {
        "title": t("learn_unigram.path.title"),
        "note": t("learn_unigram.path.note", log_prob=last.total, prob=math.exp(last.total)),
        "blocks": [{"kind": "tokens", "rows": [{"tokens": tokens}]}],
    }


def pruning_frames(steps: Sequence[UnigramStep]) -> list[Frame]:
    """One frame for every round: what each token's removal would cost, who goes, how the words are cut."""
    highest = max((max(step.increase.values(), default=0.0) for step in steps), default=0.0)
    return [_pruning_frame(step, highest) for step in steps]


def _pruning_frame(step: UnigramStep, highest: float) -> Frame:
    order = sorted(step.increase, key=lambda token: (token not in step.removed, step.increase[token], token))
    listed = order[:_MAX_TOKENS]
    rows: list[TokenRow] = [
        {"tokens": [{"text": visible_space(token)} for token in tokens], "label": visible_space(word)}
        for word, tokens in list(step.segmentations.items())[:_MAX_WORDS]
    ]
    names = ", ".join(visible_space(token) for token in step.removed[:8]) + ("…" if len(step.removed) > 8 else "")
    note = t("learn_unigram.round.note", loss=step.loss)
    if step.removed:
        cost = max(step.increase[token] for token in step.removed)
        note += " " + t("learn_unigram.round.removed", tokens=names, count=len(step.removed), cost=cost)
    else:
        note += " " + t("learn_unigram.round.last")
    return {
        "title": t("learn_unigram.round.title", number=step.number, size=len(step.prob)),
        "note": note,
        "blocks": [
            {
                "kind": "bars",
                "bars": [
                    {"label": visible_space(token), "value": step.increase[token],
                     "text": f"+{step.increase[token]:.2f}", "mark": "gone" if token in step.removed else None}
                    for token in listed
                ],
                "max": highest,
                "caption": t("learn_unigram.round.losses", shown=len(listed), count=len(order)),
            },
            {"kind": "tokens", "rows": rows, "caption": t("learn_unigram.round.words")},
        ],
    }  # fmt: skip
