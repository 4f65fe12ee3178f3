"""Tables of a sequence of merges: its steps, ties decided by hand, BPE beside WordPiece, comparison with a source.

What the sources print for their BPE examples, and the end-of-word marks they use, is in SOURCES and MARKS.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

import pandas as pd

from app.toys.merges import Pair, PairScore, ToyStep, merge_steps
from engine.merge_settings import MergeSettings


def merge_table(steps: Sequence[ToyStep]) -> pd.DataFrame:
    """One row per merge: number, left, right, token, count, n_ties, runner_up, runner_up_count, n_tokens (after it)."""
    rows = []
    for step, after in pairwise(steps):
        assert step.chosen is not None
        best = best_pair(step)
        runner = next((row for row in step.pairs if row.pair != step.chosen), None)
        rows.append(
            (
                step.number + 1,
                *step.chosen,
                step.token,
                best.frequency,
                len(step.ties),
                pair_text(runner.pair) if runner else "",
                runner.frequency if runner else None,
                after.n_tokens,
            )
        )
    names = ("number", "left", "right", "token", "count", "n_ties", "runner_up", "runner_up_count", "n_tokens")
    return pd.DataFrame(rows, columns=list(names))


def expected_table(expected: Sequence[Pair], steps: Sequence[ToyStep]) -> pd.DataFrame:
    """One row per merge printed in a source: number, source, ours, count, n_ties, same."""
    done = [step for step in steps if step.chosen is not None][: len(expected)]
    rows = []
    for number, (pair, step) in enumerate(zip_longest(expected, done), start=1):
        ours = step.chosen if step else None
        count = best_pair(step).frequency if step else None
        ties = len(step.ties) if step else None
        rows.append((number, pair_text(pair), pair_text(ours) if ours else "", count, ties, pair == ours))
    return pd.DataFrame(rows, columns=["number", "source", "ours", "count", "n_ties", "same"])


def read_picks(text: str) -> dict[int, int] | None:
    """Picks among ties by step, from the URL: `0.1-4.2` takes the second pair of step 0 and the third of step 4.

    None for anything else.
    """
    pairs = [part.split(".") for part in text.split("-")]
    if not all(len(pair) == 2 and all(n.isascii() and n.isdigit() and len(n) < 4 for n in pair) for pair in pairs):
        return None
    return {int(step): int(pick) for step, pick in pairs}


def write_picks(picks: Mapping[int, int]) -> str | None:
    return "-".join(f"{number}.{picks[number]}" for number in sorted(picks)) or None


def with_pick(picks: Mapping[int, int], number: int, index: int) -> dict[int, int]:
    """`picks` with one more; later ones are dropped, because a different pair here changes all following steps."""
    return {step: pick for step, pick in picks.items() if step < number} | {number: index}


def run_with_picks(
    words: Mapping[str, int], settings: MergeSettings, n_merges: int, picks: Mapping[int, int]
) -> tuple[list[ToyStep], dict[int, int]]:
    """The steps, and the picks that their ties allow; earlier picks may change later ties."""
    steps = merge_steps(words, settings, n_merges)
    kept: dict[int, int] = {}
    for number in sorted(picks):
        if number < len(steps) and steps[number].chosen is not None and picks[number] < len(steps[number].ties):
            kept[number] = picks[number]
            steps = merge_steps(words, settings, n_merges, kept)
    return steps, kept


def orders_table(bpe: Sequence[ToyStep], wordpiece: Sequence[ToyStep]) -> pd.DataFrame:
    """One row per merge of both: number, bpe, count, wordpiece, formula, score (of the pair that WordPiece merges)."""
    rows = []
    for number, (left, right) in enumerate(zip_longest(bpe, wordpiece), start=1):
        row: dict[str, object] = {"number": number}
        if left is not None and left.chosen is not None:
            row |= {"bpe": pair_text(left.chosen), "count": best_pair(left).frequency}
        if right is not None and right.chosen is not None:
            best = best_pair(right)
            row |= {"wordpiece": pair_text(best.pair), "formula": formula(best), "score": gain(best)}
        if len(row) > 1:
            rows.append(row)
    return pd.DataFrame(rows, columns=["number", "bpe", "count", "wordpiece", "formula", "score"])


def pair_text(pair: Pair) -> str:
    return " + ".join(pair)


def best_pair(step: ToyStep) -> PairScore:
    """The pair merged by a step, with its numbers; the step must merge one."""
    return next(row for row in step.pairs if row.pair == step.chosen)


def formula(row: PairScore) -> str:
    """The likelihood gain with its numbers: count(ab) / (count(a) × count(b))."""
    return f"{row.frequency} / ({row.left_frequency} × {row.right_frequency})"


def gain(row: PairScore) -> float:
    """count(ab) / (count(a) count(b)), independent of the ranking."""
    return row.frequency / (row.left_frequency * row.right_frequency)


class LessonSource(NamedTuple):
    """The end-of-word mark (one of BPE's MARKS), and the first merges."""

    mark: str
    merges: tuple[tuple[str, str], ...]


# Of each method: the prefix of a symbol inside a word, the end-of-word mark, and whether this is attached to the last
# character or a separate symbol.
MARKS = {
    "bpe": {
        "symbol": ("", "_", "symbol"),
        "separate": ("", "</w>", "symbol"),
        "attached": ("", "</w>", "attached"),
        "none": ("", "", "attached"),
    },
    "wordpiece": {"hashes": ("##", "", "attached"), "none": ("", "", "attached"), "underscore": ("", "_", "symbol")},
}

# By the corpus' name in assets/corpora/toy.
SOURCES = {
    "low_slides": LessonSource(
        "symbol",
        (("e", "r"), ("er", "_"), ("n", "e"), ("ne", "w"), ("l", "o"), ("lo", "w"), ("new", "er_"), ("low", "_")),
    ),
    "low_lesson": LessonSource("separate", (("l", "o"), ("lo", "w"), ("e", "r"))),
    "low_textbook": LessonSource("none", (("e", "s"), ("es", "t"), ("l", "o"))),
    "hug": LessonSource("none", (("u", "g"), ("u", "n"), ("h", "ug"))),
}
