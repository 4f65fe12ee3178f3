"""The scatter of the Scores page: a box drawn on it selects tokens, and so do two sliders below it."""

from functools import partial

import pandas as pd
import streamlit as st

from app.parts.choices import action_button, round_slider, unit_choice, url_choices
from app.parts.data_table import MAX_ROWS, download_csv, headings, pick_row, render_data
from app.parts.figures.base import Plot
from app.parts.figures.scatter import FRONTIERS, Range, is_binned, scatter_figure, scatter_points, scatter_ranges
from app.parts.layout import layout
from app.parts.projector import for_screen
from app.parts.tables.entropy_line import agreement_table, farthest
from app.parts.tables.tokens import (
    LOW_SCORE,
    RARE,
    REMOVED,
    SURVIVING,
    Box,
    Frontier,
    frontier,
    in_box,
    least_log10_p,
    parse_box,
    shown_scores,
    with_numbers,
)
from app.parts.tables.units import factor_of, per_nat, unit_of
from app.parts.tokenizers.cached import cached_catalogue, cached_extents, cached_round
from app.parts.tokens.morpheme_layer import analyser_choice
from app.parts.tokens.token_class_filter import (
    kinds_of,
    kinds_switch,
    render_kind_counts,
    shown_tokens,
    token_columns,
    token_file,
)
from app.parts.tokens.token_field import (
    adopt_token,
    choose_token,
    occurrences_link,
    token_choice,
    token_field,
    token_link,
)
from app.server.remember import remember
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.unigram.model.levels import LEVELS

_CHART, _P_RANGE, _BE_RANGE = "scores.chart", "scores.p_range", "scores.be_range"
_BOX: UrlValue[Box | None] = UrlValue("box", "scores.box", parse_box, str, None)
_N_FAR = 12


@fragment
def render_scatter(active: ActiveModel) -> None:
    """The chart, the selection, and links for a token of it."""
    view = layout()
    with view.scrubber:
        number = round_slider(active.model.kept_rounds)
    with view.settings(t("scores.settings.scatter", name=plain(active.title))):
        unit = unit_choice()
        levels = url_choices("levels", t("scores.levels"), {level: t(f"figure.level.{level}") for level in LEVELS})
        analyser = analyser_choice() if kinds_switch() else None
    box = _BOX.adopt()
    _BOX.publish(box)
    every = cached_round(active, number)
    cut = frontier(active.model, number, every)
    table = every if len(levels) == len(LEVELS) else every[every["level"].isin(levels)]
    with view.sections:
        kinds = kinds_of(active, analyser) if analyser else None
        if kinds:
            render_kind_counts(kinds, every)
            table = kinds.chosen_of(table)
    ranges = scatter_ranges(cached_extents(active), least_log10_p(active.model))
    with view.picture:
        figure = scatter_figure(table, cut, ranges, unit, language(), box, adopt_token())
        _render_chart(table, figure, number, unit)
    with view.sections:
        _render_line(active, every, number)
        _render_counts(active, every, cut, number, unit)
        if is_binned(table):
            st.caption(t("scores.scatter.binned", count=len(table)))
        _render_box(ranges, box, unit)
        chosen = table if box is None else in_box(table, box)
        _render_tokens(active, chosen, box, number, unit)
        for row in token_field(cached_catalogue(active)):
            token = str(cached_catalogue(active)["token"].iloc[row])
            token_link(token)
            occurrences_link(token, active)


def _render_chart(table: pd.DataFrame, figure: Plot, number: int, unit: str) -> None:
    st.plotly_chart(
        for_screen(figure),
        key=_CHART,
        on_select=partial(_take_selection, table, per_nat(unit)),
        selection_mode=("points", "box"),
        config={"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "autoScale2d"]},
        alt=t("scores.scatter.alt", number=number),
    )


def _take_selection(table: pd.DataFrame, factor: float) -> None:
    """Make a box the selection, and a single point the chosen token."""
    selection = st.session_state[_CHART].selection
    if selection.box:
        x, y = sorted(selection.box[0]["x"]), sorted(selection.box[0]["y"])
        # Rounded as in the URL, so that a link opens exactly this.
        _BOX.set(parse_box(str(Box(x[0], x[1], y[0] / factor, y[1] / factor))))
    elif len(selection.points) == 1:
        point = selection.points[0]
        trace, index, points = point["curve_number"], point["point_index"], scatter_points(table)
        if trace < len(points) and index < len(points[trace]):
            choose_token(points[trace]["token"].iat[index])


def _render_line(active: ActiveModel, table: pd.DataFrame, number: int) -> None:
    """How close BE × P is to P, round by round, and the exceptions."""
    agreement = remember("agreement", active.sha256, lambda: agreement_table(active.model), is_shared=True)
    now = agreement[agreement["number"] == number].iloc[0]
    st.subheader(t("scores.line.heading"))
    parts = [t("scores.line.rank", number=number, spearman=float(now["spearman"]))] if now.notna()["spearman"] else []
    if now["n_removed"]:
        parts.append(t("scores.line.shared", share=float(now["shared"]), count=int(now["n_removed"])))
    st.markdown(" ".join([*parts, t("scores.line.why")]))
    for side, rows in zip(("above", "below"), farthest(table, active.model.corpus_units, _N_FAR), strict=True):
        if rows.size:
            token_choice(f"line.{side}", t(f"scores.line.{side}"), table["token"].iloc[rows].tolist())
    formats = {"spearman": "%.4f", "shared": "percent"}
    columns = headings("scores.line.column", **{name: formats.get(name, "localized") for name in agreement})
    render_data("be-and-p", agreement, columns, of=active)


def _render_counts(active: ActiveModel, table: pd.DataFrame, cut: Frontier, number: int, unit: str) -> None:
    """What the figure shows, in a sentence or two."""
    counts, reasons = table["fate"].value_counts(), table["reason"].value_counts()
    if not counts[REMOVED]:
        st.markdown(t("scores.scatter.last", kept=int(counts[SURVIVING])))
        return
    rare, low = int(reasons.get(RARE, 0)), int(reasons.get(LOW_SCORE, 0))
    parts = [t("scores.scatter.seen", number=number, kept=int(counts[SURVIVING]), removed=int(counts[REMOVED]))]
    if low and cut.score is not None:
        kind = active.model.settings.score
        own_unit = unit_of(kind, unit)
        name = t(f"figure.unit.{own_unit}") if own_unit else ""
        value = cut.score * factor_of(kind, unit)
        if kind in FRONTIERS:
            parts.append(t("scores.scatter.low_score", count=low, value=value, unit=name))
        else:
            score = t(f"train.score.{kind}")
            parts.append(t("scores.scatter.low_elsewhere", count=low, score=score, value=value, unit=name))
    if rare:
        parts.append(t("scores.scatter.rare", count=rare))
    st.markdown(" ".join(parts))


def _render_box(ranges: tuple[Range, Range], box: Box | None, unit: str) -> None:
    """The selection as two sliders, for keyboard use and to show its bounds."""
    factor = per_nat(unit)
    (x0, x1), (_, y1) = ranges
    # Round numbers beyond all points.
    bounds = (
        (float(int(x0 // 0.1) / 10), float(int(x1 // 0.1 + 1) / 10)),
        (0.0, float(int(y1 * factor // 0.1 + 1) / 10)),
    )
    whole = Box(*bounds[0], *bounds[1])
    now = whole if box is None else Box(box.x0, box.x1, box.y0 * factor, box.y1 * factor)
    st.session_state[_P_RANGE] = tuple(_within(value, *bounds[0]) for value in now[:2])
    st.session_state[_BE_RANGE] = tuple(_within(value, *bounds[1]) for value in now[2:])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="scores.box_sliders"):
        take = partial(_take_sliders, whole, factor)
        st.slider(t("scores.box.p"), *bounds[0], step=0.05, key=_P_RANGE, on_change=take, format="%.2f")
        label = t("scores.box.be", unit=t(f"figure.unit.{unit}"))
        st.slider(label, *bounds[1], step=0.05, key=_BE_RANGE, on_change=take, format="%.2f")
        label, key = t("scores.box.clear"), "scores.box.clear"
        action_button(label, key, ":material/deselect:", _BOX.set, None, is_on=box is not None)
    st.caption(t("scores.box.help"))


def _within(value: float, low: float, high: float) -> float:
    return min(max(round(value, 2), low), high)


def _take_sliders(whole: Box, factor: float) -> None:
    now = Box(*st.session_state[_P_RANGE], *st.session_state[_BE_RANGE])
    # A slider at its end leaves that side unbounded.
    low_be = -1.0 if now.y0 <= whole.y0 else now.y0 / factor
    _BOX.set(None if now == whole else parse_box(str(now._replace(y0=low_be, y1=now.y1 / factor))))


def _render_tokens(active: ActiveModel, chosen: pd.DataFrame, box: Box | None, number: int, unit: str) -> None:
    scores = list(shown_scores(active.model))
    removed = bool((chosen["fate"] == REMOVED).any())
    kind = ["kind"] if "kind" in chosen else []
    columns = ["token", "level", *kind, *scores, "rank", "fate", *(["reason"] if removed else [])]
    st.subheader(t("scores.selected.heading" if box else "scores.selected.all"))
    shown = chosen.head(MAX_ROWS)
    st.caption(t("scores.selected.count", count=len(chosen), shown=len(shown)))
    tokens = shown["token"].tolist()
    # Another selection is another table, in which a row marked in the last one means nothing.
    key = f"scores.tokens.{number}.{box}.{len(chosen)}"
    pick_row(
        shown_tokens(shown, columns, unit),
        key,
        lambda row: choose_token(tokens[row]),
        token_columns(columns, unit),
        alt=t("scores.selected.heading"),
    )
    kind += ["kind_text_sha256"] * len(kind)
    names = ["id", "token", "plain", "level", *kind, "log_prob_nats", "frequency", *scores, "rank", "fate", "reason"]
    download_csv(
        f"tokens-round-{number}", lambda: token_file(with_numbers(active.model, number, chosen), names), of=active
    )
