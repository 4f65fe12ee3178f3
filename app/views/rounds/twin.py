"""Another model of the same corpus, pruned by another score or as in the authors' program, and what the two keep."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from app.components.data import StripRow
from app.components.pictures import token_strip
from app.parts.choices import url_choice
from app.parts.data_table import download_csv, pick_row, render_data
from app.parts.layout import render_figure
from app.parts.tables.rounds import pieces_row
from app.parts.tables.tokens import visible
from app.parts.tables.units import per_nat
from app.parts.tokenizers.active_model import offer_builtin
from app.parts.tokenizers.cached import cached_catalogue, cached_rounds
from app.parts.tokenizers.job_progress import render_training
from app.parts.tokenizers.tokenizer_set import ask_first
from app.parts.tokens.example_token import current_sentence, segmented
from app.parts.tokens.token_field import follow_token
from app.server.remember import remember
from app.server.work.jobs import Request
from app.session.models import ActiveModel, ask_for, is_asked_for, ready_model
from app.session.page_run import fragment
from app.session.reference import ModelReference
from app.session.state import is_own, note_choice
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.rounds.figures import apart_figure
from app.views.rounds.numbers import rounds_columns
from engine.config import AUTHORS_SEEDS, TrainingSettings, chosen_settings
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.levels import LEVELS

BOTH, ONLY_FIRST, ONLY_SECOND = "both", "first", "second"
# What the model is compared with, as in the address.
SCORE, AUTHORS_PROGRAM, _NONE = "true", "authors", "none"
_COMMON = ("vocab_size", "pretokenizer", "special_tokens", "normalization", "max_token_bytes", "shrink")
_ONE_CONTEXT = 0.01  # nats: hardly more than one context


def twin_settings(settings: TrainingSettings, versus: str) -> TrainingSettings:
    """The settings of the model to compare with: one of SCORE and AUTHORS_PROGRAM.

    The algorithm becomes `thunder-tok`, the one that accepts any score. Against the other score, likelihood loss or BE
    x P if it was that already, everything else is unchanged, so both prune the same seed.
    """
    is_authors = settings.seed_vocabulary in AUTHORS_SEEDS
    if versus == SCORE and not is_authors:
        return replace(settings, algorithm="thunder-tok", score="be_p" if settings.score == "ml" else "ml")
    common = {name: getattr(settings, name) for name in _COMMON}
    if versus == SCORE:
        return chosen_settings("thunder-tok", score="ml", **common)
    return chosen_settings("thunder-tok", "thunder-tok" if is_authors else "authors", **common)


class Twin(NamedTuple):
    """What two models keep."""

    tokens: pd.DataFrame  # token, level, n_chars, kept_by; in either model p, be (nats), be_p, died (NaN: no candidate)
    n_both: int
    n_first: int
    n_second: int


def compare(models: Sequence[PrunedTokenizer], catalogues: Sequence[pd.DataFrame]) -> Twin:
    """The tokens kept by both, or only one, of two models; `catalogues` are their `token_catalogue`."""
    tables = []
    for model, catalogue, name in zip(models, catalogues, ("first", "second"), strict=True):
        p, be = _last_numbers(model)
        numbers = {"p": p, "be": be, "be_p": p * be, "died": model.died_in_round.astype(float)}
        columns = {f"{what}_{name}": values for what, values in numbers.items()}
        tables.append(catalogue[["token", "level", "n_chars"]].assign(bytes=model.tokens, **columns))
    tokens = tables[0].merge(tables[1], "outer", "bytes", suffixes=("", "_other"), sort=False)
    for column in ("token", "level", "n_chars"):
        tokens[column] = tokens[column].where(tokens[column].notna(), tokens[f"{column}_other"])
    in_first, in_second = tokens["died_first"] < 0, tokens["died_second"] < 0
    tokens["kept_by"] = np.where(in_first & in_second, BOTH, np.where(in_first, ONLY_FIRST, ONLY_SECOND))
    tokens = tokens[in_first | in_second].drop(columns=["bytes", "token_other", "level_other", "n_chars_other"])
    counts = [int((tokens["kept_by"] == name).sum()) for name in (BOTH, ONLY_FIRST, ONLY_SECOND)]
    return Twin(tokens.reset_index(drop=True), *counts)


def _last_numbers(model: PrunedTokenizer) -> tuple[np.ndarray, np.ndarray]:
    """P and BE of every row in its last round alive."""
    p, be = np.zeros(model.died_in_round.size), np.zeros(model.died_in_round.size)
    for number in model.kept_rounds:
        entry = model.history[number]
        rows = model.alive_rows(number)
        p[rows], be[rows] = entry.sentence_prob, entry.branching_entropy
    return p, be


_MAX_ROWS = 500


def render_twin(active: ActiveModel, unit: str) -> None:
    """The choice that starts the comparison, its progress, and the result."""
    st.header(t("rounds.twin.heading"))
    options = {name: t(f"rounds.twin.with.{name}") for name in (_NONE, SCORE, AUTHORS_PROGRAM)}
    versus = url_choice("versus", t("rounds.twin.with.label"), options, _NONE)
    note_choice("versus", None if versus == _NONE else versus)
    if versus == _NONE:
        return
    if active.source is None:
        st.info(t("rounds.twin.no_corpus"), icon=":material/description:")
        offer_builtin()
        return
    reference = ModelReference(active.source.id, twin_settings(active.model.settings, versus))
    twin = ready_model(reference, active.source)
    if is_own("versus"):
        ask_for([reference])
    if twin is None and not is_asked_for(reference):
        ask_first([reference])
    elif twin is None:
        render_training(Request(active.source, reference.settings))
    else:
        _render_comparison(active, twin, unit, versus)


@fragment
def _render_comparison(active: ActiveModel, twin: ActiveModel, unit: str, versus: str) -> None:
    models = {_name(each, versus): each for each in (active, twin)}
    tables = {name: cached_rounds(each) for name, each in models.items()}
    first, second = models
    key = (active.sha256, twin.sha256)
    found = remember("twin", key, lambda: compare(*_both(active, twin)), is_shared=True)
    names = {
        BOTH: t("rounds.twin.both"),
        ONLY_FIRST: t("rounds.twin.only", name=first),
        ONLY_SECOND: t("rounds.twin.only", name=second),
    }
    ends = {name: table["fertility"].iloc[-1] for name, table in tables.items()}
    seen = t(
        "rounds.twin.seen",
        both=found.n_both,
        one=found.n_first,
        other=found.n_second,
        first=first,
        second=second,
        fertility_first=ends[first],
        fertility_second=ends[second],
    )
    # Against the authors' program its scores are shown, else those of the active model.
    is_theirs = [each.model.settings.seed_vocabulary in AUTHORS_SEEDS for each in models.values()]
    shown = is_theirs.index(True) if True in is_theirs else 0
    title = t("rounds.twin.apart", name=list(models)[shown])
    figure = apart_figure(found.tokens, (ONLY_FIRST, ONLY_SECOND)[shown], title, names, unit, language())
    render_figure(figure, "rounds.apart", title)
    st.markdown(seen)
    if versus == AUTHORS_PROGRAM:
        _render_why(
            found.tokens, *(("first", "second") if shown == 0 else ("second", "first")), [*models.values()][shown]
        )
    _render_sentence(models)
    _render_kept(found, active, names, (first, second), unit)
    scaled = {name: rounds_columns(table, models[name].model.settings.score, unit) for name, table in tables.items()}
    curves = pd.concat([table.assign(model=name) for name, (table, _) in scaled.items()], ignore_index=True)
    if versus == AUTHORS_PROGRAM:
        curves = curves.drop(columns="objective")  # the program's is per pre-token, not per sentence
    render_data(f"two-models-{unit}", curves, {"model": t("rounds.column.model"), **scaled[first][1]}, of=active)


def _both(*models: ActiveModel) -> tuple[list[PrunedTokenizer], list[pd.DataFrame]]:
    return [each.model for each in models], [cached_catalogue(each) for each in models]


def _name(active: ActiveModel, versus: str) -> str:
    settings = active.model.settings
    if settings.seed_vocabulary in AUTHORS_SEEDS:
        return t("train.recipe.authors")
    return t("rounds.twin.paper") if versus == AUTHORS_PROGRAM else t(f"train.score.{settings.score}")


def _render_why(tokens: pd.DataFrame, theirs: str, others: str, program: ActiveModel) -> None:
    """Why the authors' program lacks tokens that the other model, `first` or `second`, keeps."""
    lost = tokens[tokens["kept_by"] == others]
    known = lost[lost[f"died_{theirs}"].notna()]
    single = known[known[f"be_{theirs}"] < _ONE_CONTEXT].sort_values(f"p_{theirs}", ascending=False)
    st.markdown(t("rounds.twin.why", lost=len(lost), never=len(lost) - len(known), single=len(single)))
    if len(single):
        token, p = single["token"].iloc[0], single[f"p_{theirs}"].iloc[0]
        count = round(p * program.model.corpus_units)
        st.markdown(t("rounds.twin.single", token=plain(visible(token)), count=count))


def _render_sentence(models: Mapping[str, ActiveModel]) -> None:
    """The sentence as both cut it in the end."""
    if not (sentence := current_sentence()):
        return
    rows: list[StripRow] = []
    for name, each in models.items():
        chars, ranges = segmented(each, sentence)
        rows.append({**pieces_row(ranges[-1].pieces, name, ""), "count": str(len(ranges[-1].pieces))})
    count_title = t("rounds.column.tokens")
    token_strip("rounds.twin_strips", rows, chars=chars, show_help=False, count_title=count_title, lang=TEXT_LANGUAGE)


def _render_kept(found: Twin, active: ActiveModel, names: dict[str, str], models: tuple[str, str], unit: str) -> None:
    which = url_choice("kept", t("rounds.twin.which"), names, ONLY_FIRST)
    tokens = found.tokens[found.tokens["kept_by"] == which]
    # Tokens are sorted by their score in the model that kept them.
    by = "second" if which == ONLY_SECOND else "first"
    tokens = tokens.sort_values(f"be_p_{by}", ascending=False, kind="stable")
    shown = tokens.head(_MAX_ROWS)
    st.caption(t("rounds.twin.count", count=len(tokens), shown=len(shown)))
    levels = {level: t(f"figure.level.{level}") for level in LEVELS}
    died = {-1.0: t("rounds.twin.alive")}
    factor = per_nat(unit)
    view = pd.DataFrame({"token": shown["token"], "level": shown["level"].astype(object).map(levels)})
    labels = {"token": t("figure.column.token"), "level": t("figure.column.level")}
    for place, model in zip(("first", "second"), models, strict=True):
        view[f"be_p_{place}"] = shown[f"be_p_{place}"] * factor
        view[f"died_{place}"] = [
            t("rounds.twin.never") if number != number else died.get(number, f"{number:.0f}")
            for number in shown[f"died_{place}"].tolist()
        ]
        labels[f"be_p_{place}"] = t("rounds.twin.column_score", name=model, unit=t(f"figure.unit.{unit}"))
        labels[f"died_{place}"] = t("rounds.twin.column_died", name=model)
    config: dict[str, Any] = {
        name: st.column_config.NumberColumn(label, format="%.4g") if name.startswith("be_p") else label
        for name, label in labels.items()
    }
    chosen = shown["token"].tolist()
    pick_row(view, f"rounds.kept.{which}", lambda row: follow_token(chosen[row]), config, alt=names[which])
    download_csv(f"kept-{which}", lambda: tokens, of=active)
