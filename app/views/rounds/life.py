"""A token's life through the rounds: its rank, its removal, and what its text is cut into afterwards."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.parts.data_table import render_data
from app.parts.figures.token_life import MAX_TOKENS
from app.parts.tables.units import factor_of, per_nat
from app.parts.tokenizers.cached import cached_catalogue, cached_examples, cached_life
from app.parts.tokens.example_token import example_row
from app.parts.tokens.token_columns import token_columns
from app.parts.tokens.token_field import token_buttons, token_field
from app.session.models import ActiveModel
from app.texts.i18n import t
from app.texts.plain import plain
from engine.unigram.train.pruning import LEAST_COUNT


def render_life(active: ActiveModel, unit: str) -> list[int]:
    """The search field and examples; rows of the tokens in view, never none."""
    st.header(t("rounds.life.heading"))
    st.markdown(t("rounds.life.intro"))
    catalogue = cached_catalogue(active.sha256, active.model)
    rows = token_field(catalogue, several=MAX_TOKENS) or [example_row(active)]
    st.caption(t("rounds.life.examples"))
    token_buttons("examples", cached_examples(active.sha256, active.model), catalogue)
    st.caption(t("rounds.life.note"))
    _render_table(active, lives_of(active, rows), unit)
    return rows


def lives_of(active: ActiveModel, rows: list[int]) -> dict[str, pd.DataFrame]:
    tokens = cached_catalogue(active.sha256, active.model)["token"]
    return {str(tokens.iloc[row]): cached_life(active.sha256, row, active.model) for row in rows}


def life_sentence(active: ActiveModel, token: str, life: pd.DataFrame, unit: str) -> str:
    """The life of a token in one sentence."""
    alive = life[life["alive"]]
    end = alive.iloc[-1]
    number = int(end["number"])
    name = plain(token)
    if number == active.model.last_round:
        if not end["n_prunable"] or pd.isna(end["percentile"]):
            return t("rounds.life.byte", token=name)
        return t("rounds.life.alive", token=name, rank=int(end["rank"]), total=int(end["n_prunable"]))
    pieces = plain(life.loc[number + 1]["pieces"])
    expected = end["p"] * active.model.corpus_units
    if expected < LEAST_COUNT:
        return t("rounds.life.dead_rare", token=name, number=number, expected=f"{expected:.2g}", pieces=pieces)
    factor = factor_of(active.model.settings.score, unit)
    score, threshold = (f"{end[column] * factor:.3g}" for column in ("score", "threshold"))
    return t("rounds.life.dead", token=name, number=number, score=score, threshold=threshold, pieces=pieces)


def _render_table(active: ActiveModel, lives: Mapping[str, pd.DataFrame], unit: str) -> None:
    table = pd.concat([life.assign(token=token) for token, life in lives.items()], ignore_index=True)
    kind = active.model.settings.score
    shown = table.assign(
        be=table["be"] * per_nat(unit),
        score=table["score"] * factor_of(kind, unit),
        threshold=table["threshold"] * factor_of(kind, unit),
        percentile=100 * table["percentile"],
    )
    columns = token_columns(["token"], unit) | {
        "number": st.column_config.NumberColumn(t("rounds.column.number"), format="%d"),
        "alive": st.column_config.CheckboxColumn(t("rounds.column.alive")),
        "rank": st.column_config.NumberColumn(t("figure.column.rank"), format="localized"),
        "percentile": st.column_config.NumberColumn(t("rounds.column.percentile"), format="%.2f%%"),
        **token_columns(["p", "be"], unit),
        "score": st.column_config.NumberColumn(t("rounds.column.score"), format="%.4g"),
        "threshold": st.column_config.NumberColumn(t("rounds.column.threshold"), format="%.4g"),
        **token_columns(["pieces"], unit),
    }
    render_data("token-life", shown, columns, lambda: table, of=active)
