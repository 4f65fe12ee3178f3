"""The slider of the page Pruning rounds, and everything that moves with it."""

import time
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.parts.choices import ROUND, round_slider, unit_choice, url_choice
from app.parts.data_table import download_csv, headings, pick_row, render_data
from app.parts.figures.early import early_figure
from app.parts.figures.scatter import SMALL_HEIGHT, scatter_figure, scatter_ranges
from app.parts.figures.token_life import MAX_TOKENS, token_life_figure
from app.parts.layout import layout, render_figure
from app.parts.tables.classes import survival_table
from app.parts.tables.rounds import removed_in, with_pieces
from app.parts.tables.tokens import frontier, least_log10_p, shown_scores
from app.parts.tables.units import factor_of, per_nat
from app.parts.tokenizers.cached import cached_catalogue, cached_examples, cached_extents, cached_life, cached_round
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
from app.parts.tokens.token_field import LIFE, choose_token, token_buttons, token_field, token_link
from app.server.remember import remember
from app.session.models import ActiveModel
from app.session.page_run import fragment, said_of_input
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.rounds.figures import SURVIVALS, survival_figure
from app.views.rounds.numbers import render_numbers
from app.views.rounds.sentence import render_all_rounds, render_examples, render_field, render_strips
from engine.measure.morphemes.token_classes import NONE
from engine.unigram.train.pruning import LEAST_COUNT

_MAX_REMOVED = 200
_ORDERS = ("close", "low", "long", "spared")


_PLAYING, _EXPECTED, _ADVANCED = "rounds.playing", "rounds.expected", "rounds.advanced"
_PLAY_SECONDS = 1.5


def render_history(active: ActiveModel, unit: str) -> None:
    """Everything that depends on the slider, in a fragment: nothing else on the page reruns when it moves.

    Parameters
    ----------
    unit : what the rest of the page shows; another choice reruns it.
    """
    is_playing = bool(st.session_state.get(_PLAYING, False))
    # The interval of a fragment's automatic reruns can only change when the whole page runs.
    fragment(key=LIFE, run_every=_PLAY_SECONDS if is_playing else None)(_render)(active, unit, is_playing)


def _render(active: ActiveModel, unit: str, is_playing: bool) -> None:
    rounds = active.model.kept_rounds
    if st.session_state.get(_PLAYING, False):
        _advance(rounds)
    if bool(st.session_state.get(_PLAYING, False)) != is_playing:
        st.rerun()
    view = layout()
    with view.topic:
        render_field()
    SENTENCE.publish(SENTENCE.value)
    with view.scrubber:
        number = _render_scrubber(rounds, is_playing)
    with view.settings(t("rounds.settings", name=plain(active.title))):
        render_examples(active)
        if unit_choice() != unit:
            st.rerun()
        with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="rounds.morphemes"):
            has_row, has_kinds = row_switch(), kinds_switch()
            analyser = analyser_choice() if has_row or has_kinds else None
    with view.sections:
        tokens = render_life(active, unit)
    with view.picture:
        if number < rounds[0]:
            render_early(active, number, unit)
        else:
            options = LayerOptions(analyser) if analyser and has_row else None
            render_strips(active, number, options, tokens[0])
            render_figures(active, number, unit, lives_of(active, tokens))
    with view.sections:
        render_numbers(active, number, unit)
        kinds = kinds_of(active, analyser) if analyser and has_kinds else None
        render_removed(active, number, unit, kinds)
        with said_of_input():
            render_all_rounds(active, number, tokens[0])
        render_survival(active, kinds, has_kinds)


def _render_scrubber(rounds: range, is_playing: bool) -> int:
    """The slider, over all rounds of the training, and the button that moves it through those that are kept."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="rounds.scrubber"):
        number = round_slider(range(rounds[-1] + 1), rounds[0])
        name = "pause" if is_playing else "play"
        st.button(
            t(f"rounds.{name}"),
            key="rounds.play",
            on_click=_toggle,
            args=(rounds,),
            disabled=len(rounds) == 1,
            icon=f":material/{name}_arrow:" if name == "play" else ":material/pause:",
        )
    return number


def _toggle(rounds: range) -> None:
    starts = not st.session_state.get(_PLAYING, False)
    st.session_state[_PLAYING] = starts
    if starts:
        if st.session_state.get(ROUND, rounds[0]) >= rounds[-1]:
            st.session_state[ROUND] = rounds[0]
        st.session_state[_EXPECTED] = st.session_state.get(ROUND, rounds[0])
        st.session_state[_ADVANCED] = time.monotonic()


def _advance(rounds: range) -> None:
    """Advance to the next round; stop at the last one, or when the visitor moves the slider."""
    now = st.session_state.get(ROUND, rounds[0])
    # A busy browser may resend the previous round if it asked before drawing the new one. It is waited for: were it two
    # rounds behind, what it resends would be taken for a move of the visitor.
    if now == st.session_state[_EXPECTED] - 1:
        st.session_state[ROUND] = st.session_state[_EXPECTED]
    elif now >= rounds[-1] or now != st.session_state[_EXPECTED]:
        st.session_state[_PLAYING] = False
    # The fragment also runs for reasons other than its timer.
    elif time.monotonic() - st.session_state[_ADVANCED] > 0.8 * _PLAY_SECONDS:
        st.session_state[ROUND] = st.session_state[_EXPECTED] = now + 1
        st.session_state[_ADVANCED] = time.monotonic()


def render_figures(active: ActiveModel, number: int, unit: str, lives: Mapping[str, pd.DataFrame]) -> None:
    """The scores of the round, and beside them the lives of the tokens in view.

    Parameters
    ----------
    lives : `token_life` tables by token, the first one the token that is marked among the scores.
    """
    left, right = st.columns(2, gap="medium")
    table = cached_round(active, number)
    cut = frontier(active.model, number, table)
    ranges = scatter_ranges(cached_extents(active), least_log10_p(active.model))
    scores = scatter_figure(table, cut, ranges, unit, language(), chosen=next(iter(lives)), is_small=True)
    render_figure(scores, "rounds.scores", t("rounds.scores_alt", number=number), left, is_flat=True)
    with right:
        figure = token_life_figure(lives, language(), number, SMALL_HEIGHT)
        render_figure(figure, "rounds.life_chart", t("rounds.life.chart"), is_flat=True)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="rounds.life_told"):
        with st.container(gap="xsmall", width="content"):
            for token, life in lives.items():
                st.markdown(life_sentence(active, token, life, unit))
        token_link()


def render_early(active: ActiveModel, number: int, unit: str) -> None:
    """A round whose tokens a compact model does not keep: the distribution of the score that pruned it."""
    model = active.model
    score, first = model.settings.score, model.first_round
    st.info(t("figure.compact", first=first, before=first - 1), icon=":material/inventory_2:")
    extent = cached_extents(active)[score]
    figure = early_figure(model.history[number].histograms[score], score, extent, unit, language())
    render_figure(figure, "rounds.early", t("scores.histogram", score=t(f"train.score.{score}")), is_flat=True)


def render_removed(active: ActiveModel, number: int, unit: str, kinds: Kinds | None) -> None:
    """The tokens that the round removed, in one of four orders; a click puts one into view.

    Parameters
    ----------
    kinds : the grammatical classes of the tokens, if they are analysed.
    """
    st.header(t("rounds.removed.heading", number=number))
    model = active.model
    report = model.rounds[number]
    if report.is_last:
        st.markdown(t("rounds.removed.none"))
        return
    if number < model.first_round:
        first = model.first_round
        st.markdown(t("scores.early.about", first=first, size=report.vocab_size, removed=report.n_removed))
        return
    order = url_choice(
        "removed", t("rounds.removed.order"), {name: t(f"rounds.removed.{name}") for name in _ORDERS}, "close"
    )
    columns = ["token", "level", *shown_scores(model), "rank", *([] if order == "spared" else ["reason", "pieces"])]
    every = cached_round(active, number)

    def beginning(of: pd.DataFrame) -> pd.DataFrame:
        return with_pieces(model, removed_in(of, order, _MAX_REMOVED), number)

    if kinds:
        # Filter everything the round removed, not only what is shown without the filter.
        render_kind_counts(kinds, every)
        removed = beginning(kinds.chosen_of(every))
        columns.insert(2, "kind")
    else:
        removed = remember("removed", (active.sha256, number, order), lambda: beginning(every), 16, is_shared=True)
    st.caption(t("rounds.removed.count", removed=report.n_removed, shown=len(removed)))
    tokens = removed["token"].tolist()
    key = f"rounds.removed.{number}.{order}.{'.'.join(kinds.chosen) if kinds else ''}"
    pick_row(
        shown_tokens(removed, columns, unit),
        key,
        lambda row: choose_token(tokens[row]),
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


def render_life(active: ActiveModel, unit: str) -> list[int]:
    """The search field and examples; rows of the tokens in view, never none."""
    st.header(t("rounds.life.heading"))
    st.markdown(t("rounds.life.intro"))
    catalogue = cached_catalogue(active)
    rows = token_field(catalogue, several=MAX_TOKENS) or [example_row(active)]
    st.caption(t("rounds.life.examples"))
    token_buttons("examples", cached_examples(active), catalogue)
    st.caption(t("rounds.life.note"))
    _render_table(active, lives_of(active, rows), unit)
    return rows


def lives_of(active: ActiveModel, rows: list[int]) -> dict[str, pd.DataFrame]:
    tokens = cached_catalogue(active)["token"]
    return {str(tokens.iloc[row]): cached_life(active, row) for row in rows}


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
    alive = st.column_config.CheckboxColumn()
    columns = token_columns(["token"], unit) | headings("rounds.column", number="%d", alive=alive)
    columns |= token_columns(["rank"], unit) | headings("rounds.column", percentile="%.2f%%")
    columns |= token_columns(["p", "be"], unit) | headings("rounds.column", score="%.4g", threshold="%.4g")
    columns |= token_columns(["pieces"], unit)
    render_data("token-life", shown, columns, lambda: table, of=active)
