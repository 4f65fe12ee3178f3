"""Frames for the player: EM iterations, and pruning rounds by the loss that each token saves."""

from collections.abc import Mapping, Sequence

from app.components.data import Block, CellMark, Frame, TableBlock, TokenBox, TokenRow
from app.parts.tables.learn.unigram import cheapest, loss_rows
from app.texts.catalogue import translate
from app.texts.plain import visible_space
from app.toys.unigram import EmStep, UnigramStep, all_segmentations, em_step
from engine.messages import number_text

_MAX_TOKENS, _MAX_WORDS, _MAX_VOCABULARY, _MAX_REASONS, _MAX_LISTED = 16, 30, 120, 8, 10


def em_iterations(words: Mapping[str, int], prob: Mapping[str, float], n: int) -> list[EmStep]:
    """`n` iterations of EM, each starting from the previous probabilities."""
    steps: list[EmStep] = []
    for _ in range(n):
        steps.append(em_step(words, steps[-1].prob if steps else prob))
    return steps


def example_word(words: Mapping[str, int], prob: Mapping[str, float]) -> str:
    """The most frequent word with several segmentations that is short enough to list them; empty if there is none."""
    for word in sorted(words, key=lambda word: -words[word]):
        if 1 < len(word) <= _MAX_LISTED and len(all_segmentations(word, prob)) > 1:
            return word
    return ""


def em_frames(
    words: Mapping[str, int], prob: Mapping[str, float], iterations: Sequence[EmStep], word: str, language: str
) -> list[Frame]:
    """A frame per iteration: how a word's count is distributed (E), and the new probabilities (M)."""
    frames: list[Frame] = []
    for number, step in enumerate(iterations):
        title = translate("learn_unigram.em.title", language, number=number + 1)
        gain = step.log_likelihood - iterations[number - 1].log_likelihood if number else None
        name = "first" if gain is None else "more"
        note = translate(f"learn_unigram.em.{name}", language, likelihood=step.log_likelihood, gain=gain or 0.0)
        blocks: list[Block] = [_new_probabilities(prob, step, language)]
        if word:
            blocks.insert(0, _shares(word, words[word], prob, language))
        frames.append({"title": title, "note": note, "blocks": blocks})
        prob = step.prob
    return frames


def _shares(word: str, count: int, prob: Mapping[str, float], language: str) -> TableBlock:
    """How the occurrences of a word are distributed over its segmentations."""
    found = [one for one in all_segmentations(word, prob) if one.prob > 0]
    total = sum(one.prob for one in found)
    rows: list[list[str | int | float]] = [
        [
            "|".join(map(visible_space, one.tokens)),
            number_text(one.prob),
            f"{one.prob / total:.1%}",
            f"{count * one.prob / total:.3f}",
        ]
        for one in found[:_MAX_TOKENS]
    ]
    marks: list[CellMark] = [{"row": 0, "column": None, "mark": "chosen"}]
    names = ("tokens", "prob", "share", "expected")
    caption = translate("learn_unigram.em.shares", language, word=visible_space(word), count=count, n=len(found))
    return {
        "kind": "table",
        "columns": [translate(f"learn_unigram.column.{name}", language) for name in names],
        "rows": rows,
        "marks": marks,
        "caption": caption,
        "width": "half",
    }


def _new_probabilities(prob: Mapping[str, float], step: EmStep, language: str) -> TableBlock:
    order = sorted(step.prob, key=lambda token: -step.prob[token])[:_MAX_TOKENS]
    rows: list[list[str | int | float]] = [
        [
            visible_space(token),
            f"{prob[token]:.4f}",
            f"{step.expected[token]:.3f}",
            f"{step.prob[token]:.4f}",
            _arrow(prob[token], step.prob[token]),
        ]
        for token in order
    ]
    names = ("token", "before_em", "expected", "after_em", "change")
    caption = translate("learn_unigram.em.table", language, shown=len(order), n=len(step.prob))
    return {
        "kind": "table",
        "columns": [translate(f"learn_unigram.column.{name}", language) for name in names],
        "rows": rows,
        "caption": caption,
        "width": "half",
    }


def _arrow(before: float, after: float) -> str:
    return "↑" if after > before * 1.0005 else "↓" if after < before * 0.9995 else "="


def pruning_frames(words: Mapping[str, int], steps: Sequence[UnigramStep], language: str) -> list[Frame]:
    """A frame per round: the cost of removing each token, which are removed and why, words and vocabulary now."""
    highest = max((max(step.increase.values(), default=0.0) for step in steps), default=0.0)
    return [_pruning_frame(words, step, highest, language) for step in steps]


def _pruning_frame(words: Mapping[str, int], step: UnigramStep, highest: float, language: str) -> Frame:
    order = sorted(step.increase, key=lambda token: (token not in step.removed, step.increase[token], token))
    listed = order[:_MAX_TOKENS]
    blocks: list[Block] = [
        {
            "kind": "bars",
            "bars": [
                {
                    "label": visible_space(token),
                    "value": max(0.0, step.increase[token]),
                    "text": f"+{step.increase[token]:.2f}",
                    "mark": "gone" if token in step.removed else None,
                }
                for token in listed
            ],
            "max": highest,
            "caption": translate("learn_unigram.round.losses", language, shown=len(listed), count=len(order)),
        },
        {
            "kind": "tokens",
            "rows": _word_rows(words, step),
            "caption": translate("learn_unigram.round.words", language),
        },
    ]
    reasons = _reasons(words, step, language)
    if reasons["rows"]:
        blocks.append(reasons)
    blocks.append(
        {
            "kind": "tokens",
            "rows": [_vocabulary(step)],
            "width": "full",
            "caption": translate("learn_unigram.round.vocabulary", language, size=len(step.prob)),
        }
    )
    return {
        "title": translate("learn_unigram.round.title", language, number=step.number, size=len(step.prob)),
        "note": _round_note(words, step, language),
        "blocks": blocks,
    }


def _word_rows(words: Mapping[str, int], step: UnigramStep) -> list[TokenRow]:
    rows: list[TokenRow] = []
    for word, tokens in list(step.segmentations.items())[:_MAX_WORDS]:
        marked: list[TokenBox] = [
            {"text": visible_space(token), "mark": "gone" if token in step.removed else None} for token in tokens
        ]
        rows.append({"tokens": marked, "label": f"×{words[word]:,}"})
    if len(step.segmentations) > _MAX_WORDS:
        rows.append({"tokens": [], "label": f"+{len(step.segmentations) - _MAX_WORDS:,}"})
    return rows


def _vocabulary(step: UnigramStep) -> TokenRow:
    """The vocabulary of the round; tokens removed at its end are struck out."""
    order = [*step.removed, *(token for token in step.prob if token not in step.removed)]
    shown: list[TokenBox] = [
        {"text": visible_space(token), "mark": "gone" if token in step.removed else None}
        for token in order[:_MAX_VOCABULARY]
    ]
    return {"tokens": shown, "label": f"+{len(order) - _MAX_VOCABULARY:,}" if len(order) > _MAX_VOCABULARY else ""}


def _reasons(words: Mapping[str, int], step: UnigramStep, language: str) -> TableBlock:
    rows: list[list[str | int | float]] = []
    for token in step.removed:
        for word, count, now, without, cost in loss_rows(words, step.prob, token):
            rows.append(
                [
                    visible_space(token),
                    f"{visible_space(word)}×{count:,}",
                    "|".join(map(visible_space, now)),
                    "|".join(map(visible_space, without)),
                    f"+{cost:.2f}",
                ]
            )
    names = ("token", "word", "now", "without", "cost")
    return {
        "kind": "table",
        "columns": [translate(f"learn_unigram.column.{name}", language) for name in names],
        "rows": rows[:_MAX_REASONS],
        "caption": translate("learn_unigram.round.why", language),
        "width": "full",
    }


def _round_note(words: Mapping[str, int], step: UnigramStep, language: str) -> str:
    sentences = [translate("learn_unigram.round.note", language, loss=step.loss)]
    if not step.removed:
        name = "last" if step.increase else "characters"
        return " ".join([*sentences, translate(f"learn_unigram.round.{name}", language)])
    names = ", ".join(visible_space(token) for token in step.removed[:8]) + ("…" if len(step.removed) > 8 else "")
    if len(step.removed) > 1:
        cost = max(step.increase[token] for token in step.removed)
        sentences.append(
            translate("learn_unigram.round.several", language, tokens=names, count=len(step.removed), cost=cost)
        )
        return " ".join(sentences)
    token = step.removed[0]
    rows = loss_rows(words, step.prob, token)
    name = "unused" if not rows else "equal" if step.increase[token] < 1e-9 else "one"
    sentences.append(
        translate(f"learn_unigram.round.{name}", language, token=names, cost=step.increase[token], words=len(rows))
    )
    ties = len(cheapest(step))
    if ties > 1:
        sentences.append(translate("learn_unigram.round.tie", language, count=ties))
    return " ".join(sentences)
