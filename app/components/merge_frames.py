"""Frames for the player: a run of merges, a word that replays them, and the longest match."""

from collections.abc import Mapping, Sequence

from app.components.stepper import CellMark, Frame, Mark, Token, TokenRow
from app.i18n import t
from app.text import visible_space
from engine.lessons.toy_merges import MatchStep, PairScore, ReplayStep, Symbols, ToyStep

# Pairs and words that a frame lists; the rest is counted.
_MAX_PAIRS, _MAX_WORDS = 12, 40


def pair_text(pair: tuple[str, str]) -> str:
    """`e + r`."""
    return f"{visible_space(pair[0])} + {visible_space(pair[1])}"


def merge_frames(steps: Sequence[ToyStep], is_likelihood: bool) -> list[Frame]:
    """One frame for every step: words as symbols, the ranked pairs, the vocabulary so far."""
    return [_merge_frame(step, steps[k - 1] if k else None, is_likelihood) for k, step in enumerate(steps)]


def _merge_frame(step: ToyStep, before: ToyStep | None, is_likelihood: bool) -> Frame:
    new = before.token if before else ""
    vocabulary: list[Token] = [{"text": visible_space(token)} for token in step.vocabulary]
    if new:
        vocabulary[-1]["mark"] = "new"
    return {
        "title": _title(step),
        "note": _note(step, before),
        "blocks": [
            {"kind": "tokens", "rows": _words(step, new), "caption": t("toy.frame.words", count=step.n_tokens)},
            {
                "kind": "table",
                "columns": _pair_columns(is_likelihood),
                "rows": [_pair_row(row, is_likelihood) for row in step.pairs[:_MAX_PAIRS]],
                "marks": _pair_marks(step),
                "caption": t("toy.frame.pairs", shown=min(_MAX_PAIRS, len(step.pairs)), count=len(step.pairs)),
            },
            {
                "kind": "tokens",
                "rows": [{"tokens": vocabulary}],
                "caption": t("toy.frame.vocabulary", count=len(step.vocabulary)),
            },
        ],
    }


def _title(step: ToyStep) -> str:
    if step.chosen is None:
        return t("toy.frame.end_title", number=step.number)
    return t(
        "toy.frame.title", number=step.number + 1, pair=pair_text(step.chosen), token=visible_space(step.token)
    )  # fmt: skip


def _note(step: ToyStep, before: ToyStep | None) -> str:
    if step.chosen is None:
        return t("toy.frame.end" if step.pairs else "toy.frame.no_pairs", count=len(step.vocabulary))
    best = next(row for row in step.pairs if row.pair == step.chosen)
    text = t(
        "toy.frame.first" if before is None else "toy.frame.next", pair=pair_text(step.chosen), count=best.frequency
    )
    if len(step.ties) > 1:
        text += " " + t("toy.frame.tie", count=len(step.ties), pairs=", ".join(map(pair_text, step.ties[:6])))
    elif len(step.pairs) > 1:
        text += " " + t("toy.frame.runner_up", pair=pair_text(step.pairs[1].pair), count=step.pairs[1].frequency)
    return text


def _words(step: ToyStep, new: str) -> list[TokenRow]:
    return [
        {"tokens": _symbols(symbols, step.chosen, new), "label": f"× {count:,}"}
        for symbols, count in step.words[:_MAX_WORDS]
    ]


def _symbols(symbols: Symbols, pair: tuple[str, str] | None, new: str) -> list[Token]:
    """The symbols of a word: the pair that is merged now, and what the last merge made."""
    chosen: set[int] = set()
    i = 0
    while pair is not None and i + 1 < len(symbols):
        if symbols[i : i + 2] == pair:
            chosen |= {i, i + 1}
            i += 2
        else:
            i += 1
    marks: list[Mark] = [
        "chosen" if k in chosen else "new" if symbol == new else None for k, symbol in enumerate(symbols)
    ]
    return [{"text": visible_space(symbol), "mark": mark} for symbol, mark in zip(symbols, marks, strict=True)]


def _pair_columns(is_likelihood: bool) -> list[str]:
    names = ("pair", "count", "left", "right", "score") if is_likelihood else ("pair", "count")
    return [t(f"toy.column.{name}") for name in names]


def _pair_row(row: PairScore, is_likelihood: bool) -> list[str | int | float]:
    # Without spaces: the player shows those as signs of their own.
    start: list[str | int | float] = ["+".join(map(visible_space, row.pair)), row.frequency]
    return [*start, row.left_frequency, row.right_frequency, f"{row.score:.5f}"] if is_likelihood else start


def _pair_marks(step: ToyStep) -> list[CellMark]:
    if step.chosen is None:
        return []
    at = [row.pair for row in step.pairs].index(step.chosen)
    return [{"row": at, "column": None, "mark": "chosen"}] if at < _MAX_PAIRS else []


def replay_frames(first: Symbols, steps: Sequence[ReplayStep], known: Sequence[str]) -> list[Frame]:
    """A word under the merges that were learned, one frame a merge that changes it."""
    strange = [symbol for symbol in first if symbol not in known]
    note = t("toy.replay.first")
    if strange:
        note += " " + t("toy.replay.unknown", symbols=" ".join(dict.fromkeys(strange)))
    frames: list[Frame] = [_replay_frame(t("toy.replay.start"), note, first, "", strange)]
    for step in steps:
        token = step.pair[0] + step.pair[1].removeprefix("##")
        title = t("toy.replay.title", number=step.number + 1, pair=pair_text(step.pair))
        frames.append(_replay_frame(title, t("toy.replay.note", number=step.number + 1), step.symbols, token, strange))
    if not steps:
        frames[0]["note"] += " " + t("toy.replay.none")
    return frames


def _replay_frame(title: str, note: str, symbols: Symbols, new: str, strange: Sequence[str]) -> Frame:
    tokens: list[Token] = [
        {"text": visible_space(symbol), "mark": "gone" if symbol in strange else "new" if symbol == new else None}
        for symbol in symbols
    ]
    return {"title": title, "note": note, "blocks": [{"kind": "tokens", "rows": [{"tokens": tokens}]}]}


def match_frames(word: str, steps: Sequence[MatchStep], unknown: str) -> list[Frame]:
    """The longest match from the left: what was tried at every place, and what was found."""
    frames: list[Frame] = []
    for k, step in enumerate(steps):
        found = step.token != unknown
        tried: list[Token] = [
            {"text": visible_space(text), "mark": "chosen" if found and text == step.token else "gone"}
            for text in step.tried
        ]
        so_far: list[Token] = [{"text": visible_space(one.token)} for one in steps[: k + 1]]
        so_far[-1]["mark"] = "new"
        frames.append(
            {
                "title": t("toy.match.title", number=k + 1, rest=visible_space(word[step.begin :])),
                "note": t("toy.match.found" if found else "toy.match.unknown", token=visible_space(step.token),
                          count=len(step.tried)),
                "blocks": [
                    {"kind": "tokens", "rows": [{"tokens": [one]} for one in tried], "caption": t("toy.match.tried")},
                    {"kind": "tokens", "rows": [{"tokens": so_far}], "caption": t("toy.match.so_far")},
                ],
            }
        )  # fmt: skip
    return frames


def picked_ties(picks: Mapping[int, int], steps: Sequence[ToyStep]) -> dict[int, tuple[str, str]]:
    """Pairs that were picked by hand, where these steps have them to choose from."""
    return {k: steps[k].ties[i] for k, i in picks.items() if k < len(steps) and i < len(steps[k].ties)}
