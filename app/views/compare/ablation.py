"""The paper's ablation (Tables 5 and 12): pre-tokenizer x seed vocabulary x score, trained here and now."""

from itertools import product

import pandas as pd
import streamlit as st

from app.parts.active_model import active_tokenizer
from app.parts.choices import url_choice
from app.parts.data_table import render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.tables.fertility import text_cost
from app.parts.text_set import text_name
from app.parts.tokenizer_set import ready_references
from app.session.models import ActiveTokenizer
from app.session.reference import ModelReference
from app.texts.corpora import Source, builtin_source
from app.texts.i18n import language, t
from app.texts.measured import builtin_text
from engine.config import TrainingSettings

_PRETOKENIZERS = ("gpt2", "thunder-tok")
_SEEDS = ("ngrams", "linguistic")
_SCORES = ("ml", "be_p")
_SIZES = (1000, 2000, 4000)
_TEXTS = ("parallel.ko", "ko.news", "ko.reviews")


@st.cache_data(max_entries=500, show_spinner=False)
def _fertility(sha256: str, text_id: str, _active: ActiveTokenizer) -> float:
    return text_cost(_active.model, builtin_text(text_id).sentences(), "eojeol").fertility


def render_ablation() -> None:
    """Eight trainings, one for each combination, and whether the paper's order holds."""
    active = active_tokenizer()
    source: Source = active.source or builtin_source()
    left, right = st.columns(2)
    with left:
        size = int(url_choice("ablation", t("train.size.label"), {str(n): f"{n:,}" for n in _SIZES}, str(_SIZES[1])))
    with right:
        text_id = url_choice("text", t("growth.text"), {id_: text_name(id_) for id_ in _TEXTS}, _TEXTS[0])
    settings = {
        (pretokenizer, seed, score): TrainingSettings(
            vocab_size=size, pretokenizer=pretokenizer, seed_vocabulary=seed, score=score
        )
        for pretokenizer, seed, score in product(_PRETOKENIZERS, _SEEDS, _SCORES)
    }
    ready = {
        one.reference.settings: one
        for one in ready_references([ModelReference(source.id, one) for one in settings.values()])
    }
    rows = [
        {
            "pretokenizer": t(f"train.pretokenizer.{key[0]}").partition(":")[0],
            "seed": t(f"train.seed.{key[1]}"),
            "score": t(f"train.score.{key[2]}"),
            "fertility": _fertility(ready[one].sha256, text_id, ready[one]),
            "key": key,
        }
        for key, one in settings.items()
        if one in ready
    ]
    if not rows:
        return
    table = pd.DataFrame(rows)
    table["recipe"] = table["seed"] + " · " + table["score"]
    title = t("compare.ablation_title", size=size)
    figure = grouped_bars_figure(
        table, "pretokenizer", "recipe", "fertility", title, t("compare.column.fertility"), language()
    )  # fmt: skip
    figure.update_xaxes(title=t("compare.column.pretokenizer"))
    st.plotly_chart(figure, key="compare.ablation", config={"displaylogo": False}, alt=title)
    if len(table) == len(settings):
        st.markdown(_finding(table))
    else:
        st.caption(t("compare.ablation_waiting", ready=len(table), count=len(settings)))
    st.caption(t("compare.ablation_note"))
    names = ("pretokenizer", "seed", "score", "fertility")
    render_data("ablation", table, {name: t(f"compare.column.{name}") for name in names})


def _finding(table: pd.DataFrame) -> str:
    """Each of the paper's three steps by itself, all else equal: does it lower fertility here?"""
    by_key = dict(zip(table["key"], table["fertility"], strict=True))
    steps = {"pretokenizer": (0, _PRETOKENIZERS), "seed": (1, _SEEDS), "score": (2, _SCORES)}
    lines = []
    for name, (place, (without, with_)) in steps.items():
        changes = []
        for key, value in by_key.items():
            if key[place] == with_:
                other = (*key[:place], without, *key[place + 1 :])
                changes.append(100 * (value / by_key[other] - 1))
        better = sum(change < 0 for change in changes)
        mean = sum(changes) / len(changes)
        lines.append("- " + t(f"compare.step.{name}", mean=mean, better=better, count=len(changes)))
    first, last = by_key["gpt2", "ngrams", "ml"], by_key["thunder-tok", "linguistic", "be_p"]
    lines.append("- " + t("compare.step.all", change=100 * (last / first - 1)))
    return "\n".join(lines)
