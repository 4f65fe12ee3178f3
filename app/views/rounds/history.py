"""The slider of the page Pruning rounds, and everything that moves with it."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.components.players import scrubber
from app.parts.choices import ROUND, unit_choice, url_choice
from app.parts.data_table import download_csv, headings, pick_row, render_data
from app.parts.figures.histogram import early_figure
from app.parts.figures.rounds import MAX_TOKENS, token_life_figure
from app.parts.figures.scatter import SMALL_HEIGHT, scatter_figure, scatter_ranges
from app.parts.layout import layout, more, render_figure
from app.parts.tables.classes import survival_table
from app.parts.tables.rounds import removed_in, with_pieces
from app.parts.tables.tokens import frontier, least_log10_p, shown_scores
from app.parts.tables.units import factor_of, per_nat
from app.parts.tokenizers.cached import (
    cached_catalogue,
    cached_examples,
    cached_extents,
    cached_life,
    cached_round,
    cached_rounds,
)
from app.parts.tokens.example_token import SENTENCE, example_row
from app.parts.tokens.morpheme_layer import LayerOptions, analyser_choice, row_switch
from app.parts.tokens.token_class_filter import (
    Kinds,
    kind_names,
    kinds_of,
    kinds_switch,
    render_kind_counts,
    shown_tokens,
    token_columns,
    token_file,
)
from app.parts.tokens.token_field import LIFE, follow_token, token_choice, token_field, token_link
from app.session.models import ActiveModel
from app.session.page_run import fragment, said_of_input
from app.session.url import UrlValue, whole_number
from app.share.facts import share_button
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.rounds.figures import SURVIVALS, survival_figure
from app.views.rounds.numbers import NUMBERS, render_curves, render_numbers, rounds_columns
from app.views.rounds.sentence import (
    STRIPS,
    current_round,
    render_all_rounds,
    render_examples,
    render_field,
    render_strips,
)
from app.views.rounds.twin import render_twin
from engine.measure.morphemes.token_classes import NONE
from engine.messages import number_text
from engine.unigram.train.pruning import LEAST_COUNT

_MAX_REMOVED = 30
_ORDERS = ("close", "low", "long", "spared")
# What moves with the round besides the strips, each in its fragment.
_SCORES, _REMOVED = "rounds.scores_now", "rounds.removed_now"


@fragment(key=LIFE)
def render_history(active: ActiveModel) -> None:
    """The round, and everything that depends on it."""
    view = layout(is_shared=False)
    with view.sections:  # below the controls, which stay in sight under the picture
        share_button()
    with view.topic:
        render_field()
    SENTENCE.publish(SENTENCE.value)
    with view.scrubber:
        _render_scrubber(active.model.kept_rounds)
    with view.settings(t("rounds.settings", name=plain(active.title))):
        render_examples(active)
        unit = unit_choice()
        with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="rounds.morphemes"):
            has_row, has_kinds = row_switch(), kinds_switch()
            analyser = analyser_choice() if has_row or has_kinds else None
    with view.sections:
        row, lives = render_life(active, unit)
    with view.picture:
        render_strips(active, LayerOptions(analyser) if analyser and has_row else None, row)
        left, right = st.columns(2, gap="medium")
        with left:
            render_scores(active, unit, next(iter(lives)))
        life = token_life_figure(lives, language(), SMALL_HEIGHT)
        render_figure(life, "rounds.life_chart", t("rounds.life.chart"), right, is_flat=True)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="rounds.life_told"):
            with st.container(gap="xsmall", width="content"):
                for token, life in lives.items():
                    st.markdown(life_sentence(active, token, life, unit))
            token_link(next(iter(lives)))
    with view.sections:
        render_numbers(active, unit)
        kinds = kinds_of(active, analyser) if analyser and has_kinds else None
        render_removed(active, unit, kinds)
        if place := more("rounds", "versus", "by_kind"):
            with place, said_of_input():
                render_curves(active, unit)
                table = rounds_columns(cached_rounds(active), active.model.settings.score, unit)
                render_data(f"rounds-{unit}", *table, of=active)
                render_all_rounds(active, row)
                render_survival(active, kinds, has_kinds)
                render_twin(active, unit)


@fragment
def _render_scrubber(rounds: range) -> None:
    """The controls of the round, over all rounds of the training; those that are kept are not all of them.

    In a fragment of its own: a run of LIFE forgets the fragments in it, which `move` reruns.
    """
    url = UrlValue("round", ROUND, whole_number, str, rounds[0])
    # Another model, or another page, may have other rounds.
    url.set(min(max(url.adopt(), 0), rounds[-1]))
    url.publish(url.value)
    if len(rounds) == 1:
        st.caption(t("figure.one_round"))
        return

    def move(number: int) -> None:
        url.set(number)
        url.publish(number)
        st.rerun((STRIPS, _SCORES, NUMBERS, _REMOVED))

    scrubber("rounds.scrubber", rounds[-1] + 1, url.value, move)


@fragment(key=_SCORES)
def render_scores(active: ActiveModel, unit: str, chosen: str) -> None:
    """The scores of the round, with the chosen token marked."""
    number = current_round()
    if number < active.model.first_round:
        render_early(active, number, unit)
        return
    table = cached_round(active, number)
    cut = frontier(active.model, number, table)
    ranges = scatter_ranges(cached_extents(active), least_log10_p(active.model))
    scores = scatter_figure(table, cut, ranges, unit, language(), chosen=chosen, is_small=True)
    render_figure(scores, "rounds.scores", t("rounds.scores_alt", number=number), is_flat=True)


def render_early(active: ActiveModel, number: int, unit: str) -> None:
    """A round whose tokens a compact model does not keep: the distribution of the score that pruned it."""
    model = active.model
    score, first = model.settings.score, model.first_round
    st.info(t("figure.compact", first=first, before=first - 1), icon=":material/inventory_2:")
    extent = cached_extents(active)[score]
    figure = early_figure(model.history[number].histograms[score], score, extent, unit, language())
    render_figure(figure, "rounds.early", t("scores.histogram", score=t(f"train.score.{score}")), is_flat=True)


@fragment(key=_REMOVED)
def render_removed(active: ActiveModel, unit: str, kinds: Kinds | None) -> None:
    """The tokens that the round removed, in one of four orders; a click puts one into view.

    Parameters
    ----------
    kinds : the grammatical classes of the tokens, if they are analysed.
    """
    number = current_round()
    st.header(t("rounds.removed.heading", number=number))
    model = active.model
    report = model.rounds[number]
    if report.is_last:
        st.markdown(t("rounds.removed.none"))
        return
    if number < (first := model.first_round):
        st.markdown(t("scores.early.about", first=first, size=report.vocab_size, removed=report.n_removed))
        return
    order = url_choice(
        "removed", t("rounds.removed.order"), {name: t(f"rounds.removed.{name}") for name in _ORDERS}, "close"
    )
    columns = ["token", "level", *shown_scores(model), "rank", *([] if order == "spared" else ["reason", "pieces"])]
    every = cached_round(active, number)
    if kinds:
        # Filter everything the round removed, not only what is shown without the filter.
        render_kind_counts(kinds, every)
        every = kinds.chosen_of(every)
        columns.insert(2, "kind")
    removed = with_pieces(model, removed_in(every, order, _MAX_REMOVED), number)
    st.caption(t("rounds.removed.count", removed=report.n_removed, shown=len(removed)))
    tokens = removed["token"].tolist()
    key = f"rounds.removed.{number}.{order}.{'.'.join(kinds.chosen) if kinds else ''}"
    pick_row(
        shown_tokens(removed, columns, unit),
        key,
        lambda row: follow_token(tokens[row]),
        token_columns(columns, unit),
        alt=t("rounds.removed.heading", number=number),
    )
    st.caption(t("rounds.removed.note"))
    download_csv(f"removed-in-round-{number}", lambda: _removed_file(active, number), of=active)


def _removed_file(active: ActiveModel, number: int) -> pd.DataFrame:
    table = cached_round(active, number)
    removed = with_pieces(active.model, removed_in(table, "close", len(table)), number)
    return token_file(removed, ["token", "level", *shown_scores(active.model), "rank", "reason", "pieces"])


def render_survival(active: ActiveModel, kinds: Kinds | None, has_kinds: bool) -> None:
    """Tokens kept by class, as shares and as counts; if the analysis is off, how to turn it on."""
    st.header(t("morpheme.survival.heading"))
    st.markdown(t("morpheme.survival.intro"))
    if not has_kinds:
        st.caption(t("morpheme.survival.off"))
    if kinds is None:
        return
    table = survival_table(active.model, kinds.classes)
    for cell, column in zip(st.columns(len(SURVIVALS), gap="medium"), SURVIVALS, strict=True):
        figure = survival_figure(table, column, language())
        alt = t(f"morpheme.survival.{column}_title")
        render_figure(figure, f"rounds.survival.{column}", alt, cell)
    used = int((kinds.classes != NONE).sum())
    first = active.model.kept_rounds[0]
    st.caption(t("morpheme.survival.note", used=used, unused=kinds.classes.size - used, first=first))
    shown = table.assign(name=table["name"].map(kind_names()))
    columns = headings("morpheme.survival", name="") | headings("rounds.column", number="")
    columns |= headings("morpheme.survival", kept="localized", share="percent")
    render_data("kinds-by-round", shown, columns, lambda: table, of=kinds.text)


def render_life(active: ActiveModel, unit: str) -> tuple[int, dict[str, pd.DataFrame]]:
    """The search field and examples; the row of the first token in view, and `token_life` tables of all of them."""
    st.header(t("rounds.life.heading"))
    st.markdown(t("rounds.life.intro"))
    catalogue = cached_catalogue(active)
    rows = token_field(catalogue, several=MAX_TOKENS) or [example_row(active)]
    token_choice("examples", t("rounds.life.examples"), cached_examples(active), catalogue)
    st.caption(t("rounds.life.note"))
    lives = {str(catalogue["token"].iloc[row]): cached_life(active, row) for row in rows}
    _render_table(active, lives, unit)
    return rows[0], lives


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
    count = end["p"] * active.model.corpus_units
    if count < LEAST_COUNT:
        expected = number_text(count, ".2g")
        return t("rounds.life.dead_rare", token=name, number=number, expected=expected, pieces=pieces)
    factor = factor_of(active.model.settings.score, unit)
    score, threshold = (number_text(end[column] * factor) for column in ("score", "threshold"))
    return t("rounds.life.dead", token=name, number=number, score=score, threshold=threshold, pieces=pieces)


def _render_table(active: ActiveModel, lives: Mapping[str, pd.DataFrame], unit: str) -> None:
    table = pd.concat([life.assign(token=token) for token, life in lives.items()], ignore_index=True)
    kind = active.model.settings.score
    scaled = table.assign(be=table["be"] * per_nat(unit))
    scaled[["score", "threshold"]] *= factor_of(kind, unit)
    shown = scaled.assign(percentile=100 * table["percentile"])
    alive = st.column_config.CheckboxColumn()
    columns = token_columns(["token"], unit) | headings("rounds.column", number="%d", alive=alive)
    columns |= token_columns(["rank"], unit) | headings("rounds.column", percentile="%.2f%%")
    columns |= token_columns(["p", "be"], unit) | headings("rounds.column", score="%.4g", threshold="%.4g")
    columns |= token_columns(["pieces"], unit)
    render_data(f"token-life-{unit}", shown, columns, lambda: scaled, of=active)
