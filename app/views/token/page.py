"""Token: everything on one token of the active model, and the vocabulary to choose it from."""

import pandas as pd
import streamlit as st

from app.parts.active_model import active_model
from app.parts.cached import cached_catalogue, cached_examples
from app.parts.choices import round_slider, set_choice, unit_choice, url_choice, url_choices, url_range
from app.parts.concordance import render_concordance
from app.parts.data_table import download_csv, render_data
from app.parts.figures.token_life import token_life_figure
from app.parts.problem import reason
from app.parts.tables.rounds import token_life
from app.parts.tables.tokens import shown
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.parts.token_field import choose_token, token_buttons, token_field
from app.session.models import ActiveModel
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.token.entropy import render_growth, render_scatter, render_sentences
from app.views.token.tables import relatives, search_tokens
from engine.errors import InputError
from engine.unigram.levels import LEVELS, level_of

_SECTIONS = ("token", "vocabulary")
_MAX_ROWS, _MAX_RELATIVES = 2000, 30


def _render_facts(active: ActiveModel, row: int, life: pd.DataFrame, number: int, unit: str) -> None:
    """Bytes, code points, level and the numbers of the round, or of the last one that the token lived in."""
    data = active.model.tokens[row]
    text = data.decode(errors="ignore")
    codes = " ".join(f"U+{ord(char):04X}" for char in text)
    level = t(f"figure.level.{level_of(data)}")
    with st.container(border=True, key="token.facts"):
        st.markdown(t("token.facts", level=level, data=data.hex(" ").upper(), codes=codes or "–", size=len(data)))
        died = int(active.model.died_in_round[row])
        is_alive = died < 0 or died >= number
        own = life.iloc[number if is_alive else died]
        score = own["score"] * factor_of(active.model.settings.score, unit)
        ranked = is_alive and own["rank"] > 0
        with st.container(horizontal=True, gap="medium"):
            st.metric("P", f"{own['p']:.4g}", help=t("explore.column.p_help"), width="content")
            be = f"{own['be'] * per_nat(unit):.3f} {t(f'figure.unit.{unit}')}"
            st.metric("BE", be, help=t("explore.column.be_help"), width="content")
            own_unit = unit_of(active.model.settings.score, unit)
            score_unit = f" {t(f'figure.unit.{own_unit}')}" if own_unit else ""
            st.metric(t("token.metric.score"), f"{score:.4g}{score_unit}", width="content")
            rank = f"{own['rank']:,} / {own['n_prunable']:,}" if ranked else "–"
            st.metric(t("token.metric.rank"), rank, help=t("token.rank_help"), width="content")
            st.metric(t("token.metric.percentile"), f"{own['percentile']:.1%}" if ranked else "–", width="content")
            st.metric(t("token.died"), t("token.alive") if died < 0 else str(died), width="content")


def _render_life(life: pd.DataFrame, token: str) -> None:
    """Rank and percentile in every round, and what its text is cut into when it is gone."""
    title = t("rounds.life.chart")
    figure = token_life_figure({token: life}, language())
    st.plotly_chart(figure, key="token.life", config={"displaylogo": False}, alt=title)
    gone = life[~life["alive"]]
    if len(gone):
        st.markdown(t("token.gone", number=int(gone["number"].iloc[0]) - 1, pieces=plain(gone["pieces"].iloc[-1])))
    columns = {name: t(f"token.life.{name}") for name in ("number", "rank", "percentile", "p", "be", "score", "pieces")}
    render_data("token-life", life, columns)


def _render_relatives(active: ActiveModel, row: int, number: int) -> None:
    st.header(t("token.relatives"))
    inside, around = relatives(active.model, row, number)
    for name, tokens in (("inside", inside), ("around", around)):
        st.markdown(t(f"token.{name}", count=len(tokens)))
        token_buttons(name, tokens[:_MAX_RELATIVES])


def _render_token(active: ActiveModel) -> None:
    unit = unit_choice()
    # Of all rounds the last is the vocabulary that is used.
    number = round_slider(active.model.last_round, active.model.last_round)
    catalogue = cached_catalogue(active.sha256, active.model)
    rows = token_field(catalogue)
    if not rows:
        st.info(t("token.choose"), icon=":material/search:")
        st.caption(t("rounds.life.examples"))
        token_buttons("examples", cached_examples(active.sha256, active.model))
        return
    row = rows[0]
    st.header(t("token.heading", token=plain(str(catalogue["token"].iloc[row]))))
    life = token_life(active.model, row)
    _render_facts(active, row, life, number, unit)
    _render_life(life, str(catalogue["token"].iloc[row]))
    if active.source is None:
        st.info(t("scores.kwic.no_corpus"), icon=":material/description:")
    else:
        render_sentences(active, row, number, unit)
        render_growth(active, row, number, unit)
        render_scatter(active, row, number, unit)
    _render_relatives(active, row, number)
    render_concordance(active, [row], number, has_link=False)


def _open(table: pd.DataFrame) -> None:
    picked = st.session_state["token.browser"].selection.rows
    if picked and picked[0] < len(table):
        choose_token(str(table["token"].iloc[picked[0]]))
        set_choice("view", "token")


def _render_vocabulary(active: ActiveModel) -> None:
    """Search by text, initial consonants, level and length."""
    st.markdown(t("token.browser_text"))
    unit = unit_choice()
    left, right = st.columns([2, 3])
    with left:
        text = st.text_input(t("token.search"), key="search", bind="query-params", persist_state="session",
                             help=t("token.search_help"), max_chars=60) or ""  # fmt: skip
    with right:
        levels = url_choices("levels", t("token.levels"), {level: t(f"figure.level.{level}") for level in LEVELS})
    is_pattern = st.toggle(t("token.regex"), key="regex", bind="query-params", persist_state="session")
    table = active.model.round_table()
    kind = active.model.settings.score
    table = table.assign(
        token=table["token"].map(shown), be=table["be"] * per_nat(unit), score=table["score"] * factor_of(kind, unit)
    )
    longest = int(table["n_chars"].max())
    lengths = url_range("lengths", t("token.lengths"), longest)
    try:
        found = search_tokens(table, text.replace(" ", "␣"), levels, lengths, is_pattern)
    except InputError as error:
        st.warning(plain(reason(error)), icon=":material/regular_expression:")
        return
    st.caption(t("token.found", count=len(found), total=len(table)))
    column = st.column_config
    columns = {
        "token": column.TextColumn(t("token.column.token")),
        "level": column.TextColumn(t("token.levels")),
        "p": column.NumberColumn("P", format="%.3g"),
        "be": column.NumberColumn(t("token.column.be", unit=t(f"figure.unit.{unit}")), format="%.3f"),
        "score": column.NumberColumn(t("token.column.score", name=t(f"train.score.{kind}")), format="%.4g"),
        "n_chars": column.NumberColumn(t("token.column.n_chars"), format="%d"),
        "n_bytes": column.NumberColumn(t("token.column.n_bytes"), format="%d"),
    }
    shown_table = found.assign(level=found["level"].map({level: t(f"figure.level.{level}") for level in LEVELS}))
    st.dataframe(
        shown_table.head(_MAX_ROWS), hide_index=True, column_order=list(columns), column_config=columns, height=460,
        key="token.browser", selection_mode="single-row", on_select=lambda: _open(found),
    )  # fmt: skip
    if len(found) > _MAX_ROWS:
        st.caption(t("token.first", count=_MAX_ROWS))
    download_csv(f"vocabulary-{unit}", lambda: found[list(columns)], t("token.csv"))


st.title(t("token.title"))
st.markdown(t("token.intro"))
active = active_model()
section = url_choice("view", t("token.view.label"), {name: t(f"token.view.{name}") for name in _SECTIONS}, _SECTIONS[0])
if section == "vocabulary":
    _render_vocabulary(active)
else:
    _render_token(active)
