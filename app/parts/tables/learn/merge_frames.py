"""Frames of BPE and WordPiece for the stepper: the learner, and the segmenter that replays the merges of BPE."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from app.components.data import Block, CellMark, Frame, Mark, TableBlock, TokenBox, TokenRow, TokensBlock
from app.parts.tables.learn.merges import best_pair, formula, gain, pair_text
from app.texts.catalogue import translate
from app.toys.merges import Pair, PairScore, Symbols, ToyStep, apply_merge, first_symbols, merged_label
from engine.merge_settings import MergeSettings

_PAIR_COLUMNS = {"bpe": ("pair", "count", "token"), "wordpiece": ("pair", "count", "score")}
_MAX_PAIRS = 10
_MAX_ROWS = 40
_MAX_ALPHABET = 80
_MAX_LISTED_MERGES = 30


def quoted(token: str) -> str:
    """A token quoted in a sentence; a Korean particle after it agrees with the token."""
    return f"‘{token}’"


def pair_cell(pair: Pair) -> str:
    """Both parts; no-break spaces around the +, because the player shows plain spaces as signs."""
    return "\u00a0+\u00a0".join(pair)


def marked_symbols(symbols: Symbols, pair: Pair | None, new: str = "") -> list[TokenBox]:
    """Symbols of a word: the pair to merge next is marked as chosen, the last token made as new."""
    tokens: list[TokenBox] = [{"text": s, "mark": "new" if new and s == new else None} for s in symbols]
    begin = 0
    while pair is not None and begin < len(symbols) - 1:
        if symbols[begin : begin + 2] == pair:
            tokens[begin]["mark"] = tokens[begin + 1]["mark"] = "chosen"
            begin += 1
        begin += 1
    return tokens


def words_block(step: ToyStep, new: str, caption: str) -> TokensBlock:
    """The words of a step as symbols, with their counts."""
    rows: list[TokenRow] = [
        {"tokens": marked_symbols(symbols, step.chosen, new), "label": f"×{count:,}"}
        for symbols, count in step.words[:_MAX_ROWS]
    ]
    if len(step.words) > _MAX_ROWS:
        rows.append({"tokens": [], "label": f"+{len(step.words) - _MAX_ROWS:,}"})
    return {"kind": "tokens", "caption": caption, "rows": rows, "width": "half"}


def pair_table(step: ToyStep, settings: MergeSettings, language: str) -> TableBlock:
    """The pairs with the highest scores, the merged one among them; another of those that tie can be picked."""
    names = _PAIR_COLUMNS[settings.algorithm]
    rows = list(step.pairs[:_MAX_PAIRS])
    if step.chosen is not None and all(row.pair != step.chosen for row in rows):
        rows[-1] = next(row for row in step.pairs if row.pair == step.chosen)
    others = [pair for pair in step.ties if step.chosen not in (None, pair)]
    return {
        "kind": "table",
        "caption": translate("learn_bpe.block.pairs", language, shown=len(rows), n=len(step.pairs)),
        "columns": [translate(f"learn_bpe.column.{name}", language) for name in names],
        "rows": [_cells(row, names) for row in rows],
        "marks": _pair_marks(step, rows),
        "picks": [str(step.ties.index(row.pair)) if row.pair in others else None for row in rows],
        "width": "half",
    }


def _cells(row: PairScore, names: Sequence[str]) -> list[str | int]:
    cells: dict[str, str | int] = {
        "pair": pair_cell(row.pair),
        "count": row.frequency,
        "token": "".join(row.pair),
        "score": f"{formula(row)} = {gain(row):.4f}".replace(" ", "\u00a0"),
    }
    return [cells[name] for name in names]


def _pair_marks(step: ToyStep, rows: Sequence[PairScore]) -> list[CellMark]:
    """Marks of the chosen row and of those that tie with it."""
    marks: list[CellMark] = []
    for index, row in enumerate(rows):
        mark: Mark = "chosen" if row.pair == step.chosen else "tie" if row.pair in step.ties else None
        if mark and step.chosen:
            marks.append({"row": index, "column": None, "mark": mark})
    return marks


def merge_frames(
    steps: Sequence[ToyStep], settings: MergeSettings, by_hand: Collection[int], language: str, hidden: bool = False
) -> list[Frame]:
    """A frame for each step of the learner; `by_hand` are the steps where the user decided a tie.

    `hidden`: before every merge, a frame asks for it without counts.
    """
    frames: list[Frame] = []
    for before, step in pairwise([None, *steps]):
        assert step is not None
        done = _what_was_done(before, step, language)
        if hidden and step.chosen is not None:
            frames.append(_asking_frame(before, step, settings, done, language))
        coming = what_is_next(step, settings, step.number in by_hand, language)
        blocks = list(_blocks(before, step, settings, language))
        frames.append({"title": _title(step, language), "note": f"{done} {coming}", "blocks": blocks})
    return frames


def _asking_frame(before: ToyStep | None, step: ToyStep, settings: MergeSettings, done: str, language: str) -> Frame:
    new = before.token if before else ""
    words = words_block(
        step._replace(chosen=None), new, translate("learn_bpe.block.words", language, n=f"{step.n_tokens:,}")
    )
    pairs = pair_table(step._replace(chosen=None), settings, language)
    pairs["rows"] = sorted([first, *["?"] * len(others)] for first, *others in pairs["rows"])
    title = translate("learn_bpe.ask.title", language, number=step.number + 1)
    return {"title": title, "note": f"{done} {translate('learn_bpe.ask.note', language)}", "blocks": [words, pairs]}


def _title(step: ToyStep, language: str) -> str:
    if step.chosen is None:
        return translate("toy.frame.end_title", language, number=step.number)
    pair = pair_text(step.chosen)
    return translate("toy.frame.title", language, number=step.number + 1, pair=pair, token=step.token)


def _what_was_done(before: ToyStep | None, step: ToyStep, language: str) -> str:
    if before is None or before.chosen is None:
        return translate("learn_bpe.done.start", language, n=f"{step.n_tokens:,}", size=len(step.vocabulary))
    left, right = before.chosen
    return translate(
        "learn_bpe.done.merged",
        language,
        left=quoted(left),
        right=quoted(right),
        token=quoted(before.token),
        before=f"{before.n_tokens:,}",
        after=f"{step.n_tokens:,}",
    )


def what_is_next(step: ToyStep, settings: MergeSettings, is_by_hand: bool, language: str) -> str:
    """Which pair is merged, and why."""
    if step.chosen is None:
        return translate(f"learn_bpe.next.{'cut' if step.pairs else 'end'}", language, size=len(step.vocabulary))
    if settings.algorithm == "wordpiece":
        return _largest_gain(step, settings, language)
    best = step.pairs[0]
    values = {"pair": quoted(pair_text(step.chosen)), "count": f"{best.frequency:,}", "ties": len(step.ties)}
    if is_by_hand:
        return translate("learn_bpe.next.hand", language, **values)
    if len(step.ties) > 1:
        return translate(f"learn_bpe.next.tie.{settings.ties}", language, **values)
    if len(step.pairs) == 1:
        return translate("learn_bpe.next.only", language, **values)
    runner = step.pairs[1]
    return translate(
        "learn_bpe.next.best", language, runner=quoted(pair_text(runner.pair)), second=f"{runner.frequency:,}", **values
    )


def _largest_gain(step: ToyStep, settings: MergeSettings, language: str) -> str:
    best = best_pair(step)
    values = {
        "pair": quoted(pair_text(best.pair)),
        "count": f"{best.frequency:,}",
        "formula": formula(best),
        "score": f"{gain(best):.4f}",
        "left": quoted(best.pair[0]),
        "right": quoted(best.pair[1]),
        "left_count": f"{best.left_frequency:,}",
        "right_count": f"{best.right_frequency:,}",
    }
    note = translate(f"learn_bpe.next.{settings.score}", language, **values)
    ties = translate("learn_bpe.next.ties", language, ties=len(step.ties)) if len(step.ties) > 1 else ""
    return f"{note} {ties}".rstrip()


def _blocks(before: ToyStep | None, step: ToyStep, settings: MergeSettings, language: str) -> Iterator[Block]:
    new = before.token if before else ""
    yield words_block(step, new, translate("learn_bpe.block.words", language, n=f"{step.n_tokens:,}"))
    if step.pairs:
        yield pair_table(step, settings, language)
    yield _vocabulary_block(step, new, language)


def _vocabulary_block(step: ToyStep, new: str, language: str) -> TokensBlock:
    n_alphabet = len(step.vocabulary) - step.number
    alphabet, learned = step.vocabulary[:n_alphabet], step.vocabulary[n_alphabet:]
    shown: list[TokenBox] = [{"text": token} for token in alphabet[:_MAX_ALPHABET]]
    rest = f"+{n_alphabet - _MAX_ALPHABET:,}" if n_alphabet > _MAX_ALPHABET else ""
    rows: list[TokenRow] = [{"tokens": shown, "label": rest}]
    if learned:
        last = len(learned) - 1
        rows.append({"tokens": [{"text": t, "mark": "new" if k == last else None} for k, t in enumerate(learned)]})
    caption = translate(
        "learn_bpe.block.vocabulary", language, n=len(step.vocabulary), alphabet=n_alphabet, learned=step.number
    )
    return {"kind": "tokens", "caption": caption, "rows": rows, "width": "full"}


class Replayed(NamedTuple):
    """Words after some merges: the number of the merge (-1: none yet) and the symbols of every word."""

    number: int
    words: tuple[Symbols, ...]


def replay_words(words: Sequence[str], merges: Sequence[Pair], settings: MergeSettings) -> list[Replayed]:
    """Segment several words: their initial symbols, then the state after each merge that changed one."""
    now = tuple(first_symbols(word, settings) for word in words)
    states = [Replayed(-1, now)]
    for number, pair in enumerate(merges):
        token = merged_label(pair, settings)
        merged = tuple(apply_merge(symbols, pair, token) for symbols in now)
        if merged != now:
            now = merged
            states.append(Replayed(number, now))
    return states


def replay_frames(
    words: Sequence[str], merges: Sequence[Pair], alphabet: Collection[str], settings: MergeSettings, language: str
) -> list[Frame]:
    """A frame for each merge that applies to one of the words, and one for the result.

    Parameters
    ----------
    words : at least one.
    merges : in the order learned.
    alphabet : initial symbols of the learner; others are unknown.
    """
    states = replay_words(words, merges, settings)
    frames: list[Frame] = []
    for index, now in enumerate(states):
        following = states[index + 1].number if index + 1 < len(states) else None
        pair = merges[following] if following is not None else None
        new = merged_label(merges[now.number], settings) if now.number >= 0 else ""
        rows: list[TokenRow] = [
            {"tokens": _known(marked_symbols(symbols, pair, new), merges, alphabet, settings), "label": word}
            for word, symbols in zip(words, now.words, strict=True)
        ]
        unknown = {token["text"] for row in rows for token in row["tokens"] if token.get("mark") == "gone"}
        block: TokensBlock = {"kind": "tokens", "rows": rows, "width": "half"}
        blocks: list[Block] = [block]
        if merges:
            blocks.append(_merge_list(states[: index + 1], merges, following, settings, language))
        name = "start" if index == 0 else "after"
        title = translate(f"learn_bpe.replay.{name}", language, n=now.number + 1, token=new)
        frames.append(
            {"title": title, "note": _replay_note(now, following, merges, unknown, language), "blocks": blocks}
        )
    return frames


def _known(
    tokens: list[TokenBox], merges: Sequence[Pair], alphabet: Collection[str], settings: MergeSettings
) -> list[TokenBox]:
    learned = {merged_label(pair, settings) for pair in merges}
    for token in tokens:
        if token["text"] not in alphabet and token["text"] not in learned:
            token["mark"] = "gone"
    return tokens


def _replay_note(now: Replayed, following: int | None, merges: Sequence[Pair], unknown: set[str], language: str) -> str:
    sentences = []
    if now.number < 0:
        sentences.append(translate("learn_bpe.replay.begin", language))
    else:
        left, right = merges[now.number]
        sentences.append(
            translate("learn_bpe.replay.applied", language, n=now.number + 1, left=quoted(left), right=quoted(right))
        )
    if following is not None:
        skipped = following - now.number - 1
        pair = quoted(pair_text(merges[following]))
        name = "skip" if skipped else "follow"
        sentences.append(translate(f"learn_bpe.replay.{name}", language, n=following + 1, pair=pair, skipped=skipped))
    else:
        tokens = sum(map(len, now.words))
        sentences.append(translate("learn_bpe.replay.end", language, tokens=tokens))
    if unknown:
        listed = ", ".join(quoted(token) for token in sorted(unknown))
        sentences.append(translate("learn_bpe.replay.unknown", language, unknown=listed))
    return " ".join(sentences)


def _merge_list(
    states: Sequence[Replayed], merges: Sequence[Pair], following: int | None, settings: MergeSettings, language: str
) -> TableBlock:
    """A window of the merges in order, with the applied ones and the next one marked."""
    applied = {state.number for state in states}
    centre = following if following is not None else states[-1].number
    begin = max(0, min(centre - _MAX_LISTED_MERGES // 2, len(merges) - _MAX_LISTED_MERGES))
    rows = list(enumerate(merges))[begin : begin + _MAX_LISTED_MERGES]
    marks: list[CellMark] = []
    for index, (number, _) in enumerate(rows):
        mark: Mark = "chosen" if number == following else "new" if number in applied else None
        if mark:
            marks.append({"row": index, "column": None, "mark": mark})
    return {
        "kind": "table",
        "caption": translate("learn_bpe.replay.list", language, n=len(merges)),
        "columns": [translate(f"learn_bpe.column.{name}", language) for name in ("number", "pair", "token")],
        "rows": [[number + 1, pair_cell(pair), merged_label(pair, settings)] for number, pair in rows],
        "marks": marks,
        "width": "half",
    }
