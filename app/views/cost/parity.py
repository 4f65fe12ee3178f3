"""A remedy: parity-aware BPE beside byte BPE, trained while one waits, and what it costs each language."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.data_table import PINNED, headings, render_data
from app.parts.figures.bars import moves_figure
from app.parts.layout import render_figure
from app.parts.texts.text_set import language_name
from app.server.remember import remember
from app.session.page_run import said_while_preparing
from app.texts.corpora import LANGUAGES, language_text, parallel_texts
from app.texts.i18n import language, t
from app.views.cost.stored import BASE, SENTENCES, fingerprint
from engine.config import defaults_of
from engine.measure.encoded import encode_lines
from engine.measure.parallel import premium
from engine.merges.parity import parity_trainer
from engine.training import train

Counts = Mapping[str, np.ndarray]  # by language, tokens of each sentence
BEFORE, AFTER, MEAN = "before", "after", "mean"
_SIZE = 2_000
# A ratio and its interval, in the table.
_RATIOS = {
    "value": ("value", "low", "high"),
    "parity": ("parity", "parity_low", "parity_high"),
    "change": ("change", "change_low", "change_high"),
}


def render_parity() -> None:
    """What the dearest language gains and what English pays; the picture, and its numbers."""
    with said_while_preparing():
        table = remember("cost.parity", _SIZE, _measured, 1, is_shared=True, waiting=t("cost.parity.waiting"))
        names = {code: language_name(code) for code in LANGUAGES} | {MEAN: t("cost.parity.mean", n=len(LANGUAGES))}
        st.markdown(parity_sentence(table, names))
        named = table.assign(
            name=table["code"].map(names),
            tokenizer=[t(f"cost.parity.{name}") for name in table["tokenizer"]],
            end=table.groupby("code")["change"].transform("max").map(_percent),
        )
        title = t("cost.parity.figure")
        figure = moves_figure(named[named["code"] != MEAN], title, t("cost.parity.axis"), language())
        render_figure(figure, "cost.parity", title)
        n = len(parallel_texts()[BASE])
        st.caption(t("cost.parity.note", size=_SIZE, n_languages=len(LANGUAGES), asked=n - n // 2, n=n // 2))
        forms = {
            column: "percent" if ratio == "change" else "%.3f"
            for ratio, columns in _RATIOS.items()
            for column in columns
        }
        columns = headings("cost.parity.column", name=PINNED, tokenizer="", tokens="%.5g", **forms)
        render_data("parity", named.drop(columns="end"), columns, of=fingerprint(SENTENCES, *LANGUAGES))


def _percent(change: float) -> str:
    return f"{change:+.0%}" if abs(change) >= 0.005 else "0%"


def _measured() -> pd.DataFrame:
    return parity_table(*measure_parity())


def parity_sentence(table: pd.DataFrame, names: Mapping[str, str]) -> str:
    """How the tokens of the dearest language, of English and of the mean change."""
    before, after = (table[table["tokenizer"] == name].set_index("code") for name in (BEFORE, AFTER))
    dearest = str(before["value"].idxmax())
    times = {"before": before.loc[dearest, "parity"], "ratio": after.loc[dearest, "parity"]}
    changes = [_change(names[code], *after.loc[code, [*_RATIOS["change"]]]) for code in (dearest, BASE, MEAN)]
    return " ".join([changes[0], t("cost.parity.times", name=names[dearest], **times), *changes[1:]])


def _change(name: str, change: float, low: float, high: float) -> str:
    """By how much tokens change, or that the interval includes no change."""
    kind = "same" if low <= 0 <= high else "more" if change > 0 else "fewer"
    return t(f"cost.parity.{kind}", name=name, change=abs(change), low=low, high=high)


def measure_parity() -> tuple[Counts, Counts]:
    """Tokens of parallel sentences under byte BPE and under parity-aware BPE, both trained on the same other texts.

    Every other sentence says which language merges next, the rest are measured.
    """
    texts = [language_text(code).lines() for code in LANGUAGES]
    settings = replace(defaults_of("byte-bpe"), vocab_size=_SIZE, pretokenizer="gpt2", ties="lexicographic")
    trainer = parity_trainer(texts, [parallel_texts()[code][::2] for code in LANGUAGES], settings)
    for _ in trainer.rounds():
        pass
    before, after = (
        {code: encode_lines(model, parallel_texts()[code][1::2]).per_line for code in LANGUAGES}
        for model in (train([line for lines in texts for line in lines], settings), trainer.model())
    )
    return before, after


def parity_table(before: Counts, after: Counts) -> pd.DataFrame:
    """A row for each language, and one for their mean, under each tokenizer.

    Columns: code; tokenizer; tokens; value: tokens per token of the base language before; parity: tokens per token of
    the base language under the same tokenizer; change: from before, NaN there. Of each ratio its interval.
    """
    before, after = ({**counts, MEAN: np.mean([*counts.values()], axis=0)} for counts in (before, after))
    rows: list[dict[str, object]] = []
    for code in before:
        for tokenizer, counts in ((BEFORE, before), (AFTER, after)):
            row: dict[str, object] = {"code": code, "tokenizer": tokenizer, "tokens": counts[code].sum()}
            bases = {"value": before[BASE], "parity": counts[BASE]}
            bases |= {"change": before[code]} if tokenizer == AFTER else {}
            for name, base in bases.items():
                ratio = premium(counts[code], base)
                row |= zip(_RATIOS[name], (ratio.value, *(ratio.interval or (np.nan, np.nan))), strict=True)
            rows.append(row)
    table = pd.DataFrame(rows)
    return table.assign(**{name: table[name] - 1 for name in _RATIOS["change"]})
