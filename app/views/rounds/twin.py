"""BE × P and likelihood loss on the same seed vocabulary: trains the other model, and compares the two."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_toggle
from app.parts.data_table import download_csv, pick_row, render_data
from app.parts.layout import render_figure
from app.parts.tables.units import per_nat
from app.parts.tokenizers.active_model import offer_builtin
from app.parts.tokenizers.cached import cached_catalogue, cached_rounds
from app.parts.tokenizers.job_progress import render_training
from app.parts.tokenizers.tokenizer_set import ask_first
from app.parts.tokens.token_field import follow_token
from app.server.remember import remember
from app.server.work.jobs import Request
from app.session.models import ActiveModel, ask_for, is_asked_for, ready_model
from app.session.page_run import fragment
from app.session.reference import ModelReference
from app.session.state import is_own, note_choice
from app.texts.i18n import language, t
from app.views.rounds.figures import TWIN_CURVES, kept_by_figure, twin_curve_figure
from app.views.rounds.numbers import rounds_columns
from engine.config import TrainingSettings
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.levels import LEVELS

BOTH, ONLY_FIRST, ONLY_SECOND = "both", "first", "second"


def twin_settings(settings: TrainingSettings) -> TrainingSettings:
    """The same settings with the other score: likelihood loss, or BE x P if it was that already.

    The algorithm becomes `thunder-tok`, the one that accepts any score; the seed vocabulary and everything else are
    unchanged, so both prune the same seed.
    """
    return replace(settings, algorithm="thunder-tok", score="be_p" if settings.score == "ml" else "ml")


class Twin(NamedTuple):
    """Two models over one seed vocabulary."""

    tokens: pd.DataFrame  # row, token, level, n_chars, kept_by, and p, be_p (nats), died_in_round in either model
    n_both: int
    n_first: int
    n_second: int


def compare(first: PrunedTokenizer, second: PrunedTokenizer, catalogue: pd.DataFrame) -> Twin:
    """The tokens of the seed kept by both, or only one, of two models.

    Parameters
    ----------
    catalogue : `token_catalogue` of either; their seeds are equal.
    """
    in_first, in_second = first.died_in_round < 0, second.died_in_round < 0
    rows = np.flatnonzero(in_first | in_second)
    kept_by = np.where(in_first & in_second, BOTH, np.where(in_first, ONLY_FIRST, ONLY_SECOND))[rows]
    tokens = catalogue[["token", "level", "n_chars"]].iloc[rows].assign(row=rows, kept_by=kept_by)
    for name, model in (("first", first), ("second", second)):
        p, be = _last_numbers(model)
        tokens[f"p_{name}"] = p[rows]
        tokens[f"be_p_{name}"] = (p * be)[rows]
        tokens[f"died_{name}"] = model.died_in_round[rows]
    counts = [int((kept_by == name).sum()) for name in (BOTH, ONLY_FIRST, ONLY_SECOND)]
    return Twin(tokens.reset_index(drop=True), *counts)


def _last_numbers(model: PrunedTokenizer) -> tuple[np.ndarray, np.ndarray]:
    """P and BE of every row in its last round alive."""
    p, be = np.zeros(model.died_in_round.size), np.zeros(model.died_in_round.size)
    for number in model.kept_rounds:
        entry = model.history[number]
        rows = model.alive_rows(number)
        p[rows], be[rows] = entry.sentence_prob, entry.branching_entropy
    return p, be


def same_seed(first: PrunedTokenizer, second: PrunedTokenizer) -> bool:
    return first.ptr.size == second.ptr.size and bool(np.array_equal(first.blob, second.blob))


_MAX_ROWS = 500


def render_twin(active: ActiveModel, unit: str) -> None:
    """The switch that starts the comparison, its progress, and the result."""
    st.header(t("rounds.twin.heading"))
    st.markdown(t("rounds.twin.intro"))
    is_on = url_toggle("versus", t("rounds.twin.switch"))
    note_choice("versus", "true" if is_on else None)
    if not is_on:
        return
    if active.source is None:
        st.info(t("rounds.twin.no_corpus"), icon=":material/description:")
        offer_builtin()
        return
    reference = ModelReference(active.source.id, twin_settings(active.model.settings))
    twin = ready_model(reference, active.source)
    if is_own("versus"):
        ask_for([reference])
    if twin is None and not is_asked_for(reference):
        ask_first([reference])
    elif twin is None:
        render_training(Request(active.source, reference.settings))
    elif not same_seed(active.model, twin.model):
        st.warning(t("rounds.twin.other_seed"), icon=":material/warning:")
    else:
        _render_comparison(active, twin, unit)


@fragment
def _render_comparison(active: ActiveModel, twin: ActiveModel, unit: str) -> None:
    models = {_name(active): active, _name(twin): twin}
    tables = {name: cached_rounds(each) for name, each in models.items()}
    first, second = models
    for cell, column in zip(st.columns(len(TWIN_CURVES)), TWIN_CURVES, strict=True):
        figure = twin_curve_figure(tables, column, unit, language())
        alt = t(f"rounds.curve.{column}", unit=t(f"figure.unit.{unit}"))
        render_figure(figure, f"rounds.twin.{column}", alt, cell)
    key = (active.sha256, twin.sha256)
    found = remember("twin", key, lambda: compare(active.model, twin.model, cached_catalogue(active)), is_shared=True)
    names = {
        BOTH: t("rounds.twin.both"),
        ONLY_FIRST: t("rounds.twin.only", name=first),
        ONLY_SECOND: t("rounds.twin.only", name=second),
    }
    ends = {name: table["fertility"].iloc[-1] for name, table in tables.items()}
    st.markdown(
        t(
            "rounds.twin.seen",
            both=found.n_both,
            one=found.n_first,
            other=found.n_second,
            first=first,
            second=second,
            fertility_first=ends[first],
            fertility_second=ends[second],
        )
    )
    figure = kept_by_figure(found.tokens, names, language())
    render_figure(figure, "rounds.kept_chart", t("rounds.twin.kept_chart"))
    _render_kept(found, active, names, (first, second), unit)
    scaled = {name: rounds_columns(table, models[name].model.settings.score, unit) for name, table in tables.items()}
    curves = pd.concat([table.assign(model=name) for name, (table, _) in scaled.items()], ignore_index=True)
    render_data(f"two-models-{unit}", curves, {"model": t("rounds.column.model"), **scaled[first][1]}, of=active)


def _name(active: ActiveModel) -> str:
    return t(f"train.score.{active.model.settings.score}")


def _render_kept(found: Twin, active: ActiveModel, names: dict[str, str], models: tuple[str, str], unit: str) -> None:
    which = url_choice("kept", t("rounds.twin.which"), names, ONLY_FIRST)
    tokens = found.tokens[found.tokens["kept_by"] == which]
    # Tokens are sorted by their score in the model that kept them.
    by = "second" if which == ONLY_SECOND else "first"
    tokens = tokens.sort_values([f"be_p_{by}", "row"], ascending=[False, True])
    shown = tokens.head(_MAX_ROWS)
    st.caption(t("rounds.twin.count", count=len(tokens), shown=len(shown)))
    levels = {level: t(f"figure.level.{level}") for level in LEVELS}
    died = {-1: t("rounds.twin.alive")}
    factor = per_nat(unit)
    view = pd.DataFrame({"token": shown["token"], "level": shown["level"].astype(object).map(levels)})
    labels = {"token": t("figure.column.token"), "level": t("figure.column.level")}
    for place, model in zip(("first", "second"), models, strict=True):
        view[f"be_p_{place}"] = shown[f"be_p_{place}"] * factor
        view[f"died_{place}"] = [died.get(number, str(number)) for number in shown[f"died_{place}"].tolist()]
        labels[f"be_p_{place}"] = t("rounds.twin.column_score", name=model, unit=t(f"figure.unit.{unit}"))
        labels[f"died_{place}"] = t("rounds.twin.column_died", name=model)
    config: dict[str, Any] = {
        name: st.column_config.NumberColumn(label, format="%.4g") if name.startswith("be_p") else label
        for name, label in labels.items()
    }
    chosen = shown["token"].tolist()
    pick_row(view, f"rounds.kept.{which}", lambda row: follow_token(chosen[row]), config, alt=names[which])
    download_csv(f"kept-{which}", lambda: tokens.drop(columns="row"), of=active)
