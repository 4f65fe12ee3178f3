"""BE against P: every token of a round as a point, around the line BE = log(N·P), and the frontier of the cut."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from app.parts.figures.base import FONT_SIZE, Plot, arrange, marked_up, nothing_to_show, power_axis, unit_name
from app.parts.figures.charts import Trace, lines, single
from app.parts.figures.styles import FATE_STYLES, GREY, Style
from app.parts.tables.entropy_line import farthest
from app.parts.tables.tokens import BYTE, FATES, REMOVED, SURVIVING, Box, Extent, Frontier
from app.parts.tables.units import factor_of, per_nat
from app.texts.catalogue import translate
from engine.pictures.palette import GREEN, OCHRE, PINK, VERMILLION

# With more points a browser without a GPU takes seconds; then cells are counted and only a sample is clickable.
MAX_POINTS, MAX_SAMPLE = 50_000, 300
# Beside other figures that move with it, it is drawn at once.
_MAX_SMALL, SMALL_HEIGHT = 60, 286

# Scores that are functions of both axes, so that their frontier is a line.
FRONTIERS = ("be_p", "be", "p")

# Up to this many points are sent with their texts; otherwise a point shows only its numbers.
_MAX_TEXTS = 12_000
_N_FAR, _N_LABELS = 60, 5
_BINS, _SMALL_BINS = (160, 100), (80, 40)
_HEIGHT = 560

# Colours by the share of removed tokens in a cell: none, half, all.
_SHARE_COLOURS = [[0.0, "#0072B2"], [0.5, "#BFA98F"], [1.0, "#D55E00"]]

Range = tuple[float, float]


def scatter_ranges(extents: Mapping[str, Extent], least: float) -> tuple[Range, Range]:
    """Ranges of both axes (exponent of ten, nats) that contain the points of every round.

    Parameters
    ----------
    extents : `score_extents`.
    least : `least_log10_p`.
    """
    p, be = extents["p"], extents["be"]
    low = min(max(math.log10(p.low), least), math.log10(p.high))
    return (low - 0.15, math.log10(p.high) + 0.3), (-0.04 * be.high - 0.02, 1.08 * be.high + 0.02)


def is_binned(table: pd.DataFrame, most: int = MAX_POINTS) -> bool:
    """Whether there are too many tokens to draw one point each."""
    return len(table) > most


def scatter_points(table: pd.DataFrame, most: int = MAX_POINTS) -> list[pd.DataFrame]:
    """The clickable points of each trace, in the order of the traces and of their points."""
    table = table[["token", "log10_p", "be", "fate"]]
    if is_binned(table, most):
        # The best tokens, and every k-th of the others: the table is sorted by score.
        sample = min(most, MAX_SAMPLE)
        n_best = sample // 3
        step = -(-(len(table) - n_best) // (sample - n_best))
        table = table.iloc[np.concatenate([np.arange(n_best), np.arange(n_best, len(table), step)])]
    return [table[table["fate"] == fate] for fate in FATES]


def scatter_figure(
    table: pd.DataFrame,
    cut: Frontier,
    ranges: tuple[Range, Range],
    unit: str,
    language: str,
    box: Box | None = None,
    chosen: str = "",
    *,
    is_small: bool = False,
) -> Plot:
    """The scatter of a round.

    Parameters
    ----------
    table : `round_tokens`, or a part of it.
    cut : the round's frontier.
    ranges : from `scatter_ranges`, the same for all rounds, so that the points do not jump.
    unit : "bit" or "nat".
    box : the selection, drawn as a frame.
    chosen : the token to mark.
    is_small : a quick one beside others: few points, the threshold alone, only the chosen token's label.
    """
    title = translate("scores.scatter.title", language)
    if table.empty:
        return nothing_to_show(title, language, SMALL_HEIGHT if is_small else _HEIGHT)
    factor = per_nat(unit)
    most = _MAX_SMALL if is_small else MAX_POINTS
    binned = is_binned(table, most)
    traces = [
        _points(points, fate, factor, len(table), binned, unit, language)
        for fate, points in zip(FATES, scatter_points(table, most), strict=True)
    ]
    if binned:
        traces.append(_cells(table, ranges, factor, language, is_small))
    if is_small:
        cut = cut._replace(n_units=0, rare_p=cut.rare_p if cut.score is None else None)
    lines_of_cut = _frontier(cut, ranges, factor, unit, language)
    labels = _named_in_plot(lines_of_cut, traces[FATES.index(BYTE)]) if is_small else []
    if not is_small and cut.n_units > 1:
        lines_of_cut += _far_labels(table, cut.n_units, factor, chosen, ranges)
    (x0, x1), (y0, y1) = ranges
    be_title = translate("scores.axis.be", language, unit=unit_name(unit, language))
    return arrange(
        [*traces, *lines_of_cut, *_chosen_point(table, factor, chosen)],
        title,
        SMALL_HEIGHT if is_small else _HEIGHT,
        dragmode="select",
        clickmode="event+select",
        hovermode="closest",
        legend={"itemsizing": "constant"},
        newselection={"line": {"color": GREEN, "width": 2, "dash": "dot"}},
        shapes=[] if box is None else [_frame(box, factor)],
        annotations=labels,
        xaxis={**power_axis(x0, x1, translate("scores.axis.p", language)), "showgrid": True, "zeroline": False},
        yaxis={"title": be_title, "range": [y0 * factor, y1 * factor], "zeroline": False},
    )


def _frame(box: Box, factor: float) -> dict[str, object]:
    return {
        "type": "rect",
        "x0": box.x0,
        "x1": box.x1,
        "y0": box.y0 * factor,
        "y1": box.y1 * factor,
        "layer": "below",
        "line": {"color": GREEN, "width": 2.5, "dash": "dash"},
        "fillcolor": "rgba(0, 158, 115, 0.12)",
    }


def _points(
    points: pd.DataFrame, fate: str, factor: float, n_tokens: int, binned: bool, unit: str, language: str
) -> Trace:
    be = translate("scores.hover.be", language, unit=unit_name(unit, language))
    with_text = binned or n_tokens <= _MAX_TEXTS
    # Few points can be large; many must be small to show density.
    size, opacity = (5, 0.55) if n_tokens > 20_000 or binned else (6, 0.6) if n_tokens > 6_000 else (8, 0.65)
    faded = {"marker": {"opacity": opacity * 0.45}}
    # Plotly draws WebGL below everything else, so the few points over a heatmap must be SVG.
    return {
        "type": "scatter" if binned else "scattergl",
        "x": points["log10_p"].to_numpy(np.float32),
        "y": (points["be"].to_numpy() * factor).astype(np.float32),
        "mode": "markers",
        "name": translate(f"scores.fate.{fate}", language),
        "marker": {
            "color": FATE_STYLES[fate].colour,
            "symbol": FATE_STYLES[fate].symbol,
            "size": size - 1 if fate == REMOVED else size,
            "opacity": opacity,
            # Rims separate overlapping points, especially on a dark background.
            **({"line": {"width": 0.8, "color": "rgba(124, 192, 234, 0.7)"}} if fate == SURVIVING else {}),
        },
        "unselected": faded,
        # Plotly inspects every entry of a list, but not of an array.
        "text": np.array([marked_up(token) for token in points["token"]], dtype=object) if with_text else None,
        "hovertemplate": ("<b>%{text}</b><br>" if with_text else "")
        + f"{be} %{{y:.3f}}<br>log<sub>10</sub> P(x) %{{x:.3f}}<extra></extra>",
    }


def _cells(table: pd.DataFrame, ranges: tuple[Range, Range], factor: float, language: str, is_small: bool) -> Trace:
    """Counts of the cells with tokens; the colour is the share of a cell's tokens that was removed."""
    shape = _SMALL_BINS if is_small else _BINS
    of_token = []
    for name, n_bins, (low, high) in zip(("log10_p", "be"), shape, ranges, strict=True):
        at = ((table[name].to_numpy() - low) * n_bins / (high - low)).astype(np.int64)
        of_token.append(at.clip(0, n_bins - 1))
    cell = np.ravel_multi_index(of_token, shape)
    count, removed = np.bincount(cell), np.bincount(cell, table["fate"] == REMOVED)
    cells = np.flatnonzero(count)
    # Plotly makes a grid of the rows and columns that it gets: an empty cell of each comes first.
    empty = np.arange(max(shape))
    at = [np.r_[empty % n_bins, one] for n_bins, one in zip(shape, np.unravel_index(cells, shape), strict=True)]
    x, y = (low + (high - low) * (one + 0.5) / n for one, n, (low, high) in zip(at, shape, ranges, strict=True))
    trace: Trace = {
        "type": "heatmap",
        "x": x.astype(np.float32),
        "y": (y * factor).astype(np.float32),
        "z": np.r_[np.full(empty.size, np.nan), removed[cells] / count[cells]].astype(np.float32),
        "zmin": 0,
        "zmax": 1,
        "opacity": 0.55,
        "colorscale": _SHARE_COLOURS,
        "showscale": False,  # the legend has its ends, and where the pointer is, the share stands
        "hoverongaps": False,
    }
    if is_small:
        return trace | {"hoverinfo": "skip"}
    counts = np.r_[0 * empty, count[cells]].astype(np.min_scalar_type(int(count.max())))
    hover = translate("scores.hover.cell", language, count="%{text:,}", share="%{z:.0%}")
    return trace | {"text": counts, "hovertemplate": f"{hover}<extra></extra>"}


def _frontier(cut: Frontier, ranges: tuple[Range, Range], factor: float, unit: str, language: str) -> list[Trace]:
    (x0, x1), (y0, y1) = ranges
    traces: list[Trace] = []
    if cut.score is not None and cut.kind in FRONTIERS:
        exponent = np.linspace(x0, x1, 150)
        if cut.kind == "p":
            x, y = np.full(2, np.log10(max(cut.score, 1e-300))), np.array([y0, y1])
        elif cut.kind == "be":
            x, y = np.array([x0, x1]), np.full(2, cut.score)
        else:
            x, y = exponent, cut.score / 10.0**exponent
            x, y = x[y <= y1], y[y <= y1]
        value = cut.score * factor_of(cut.kind, unit)
        name = translate(f"scores.frontier.{cut.kind}", language, value=value, unit=unit_name(unit, language))
        traces += _line(x.astype(np.float32), (y * factor).astype(np.float32), Style(OCHRE), 2.5, name)
    if cut.rare_p is not None:
        x = np.full(2, np.log10(cut.rare_p), np.float32)
        y = np.array([y0, y1], dtype=np.float32) * np.float32(factor)
        name = translate("scores.frontier.rare", language, value=cut.rare_p)
        traces += _line(x, y, Style(VERMILLION, dash="dash"), 1.5, name)
    if cut.n_units > 1:
        x = np.array([max(x0, -math.log10(cut.n_units)), x1])
        y = (x + math.log10(cut.n_units)) * math.log(10.0) * factor
        traces += _line(x, y, Style(PINK), 5, translate("scores.frontier.certain", language))
    return traces


def _line(x: np.ndarray, y: np.ndarray, style: Style, width: float, name: str) -> list[Trace]:
    points = single(pd.DataFrame({"x": x, "y": y}), style, name)
    return lines(points, "x", "y", None, width=width, mode="lines", marker=None)


def _named_in_plot(lines_of_cut: Sequence[Trace], byte_points: Trace) -> list[dict[str, object]]:
    """The names of lines at the empty corner instead of in the legend, which has room for two fates only."""
    for trace in (*lines_of_cut, byte_points):
        trace["showlegend"] = False
    names = [f'<span style="color:{trace["line"]["color"]}"><b>━</b></span> {trace["name"]}' for trace in lines_of_cut]
    corner = {"xref": "paper", "yref": "paper", "x": 0.09, "y": 1, "xanchor": "left", "yanchor": "top"}
    return (
        [{**corner, "text": "<br>".join(names), "showarrow": False, "font": {"size": FONT_SIZE - 2}}] if names else []
    )


def _far_labels(
    table: pd.DataFrame, n_units: int, factor: float, chosen: str, ranges: tuple[Range, Range]
) -> list[Trace]:
    """Labels for a few of the tokens farthest from the line, above and below it, and a line to each.

    As traces: Plotly lays the whole page out for every arrow of an annotation.
    """
    width, height = (high - low for low, high in ranges)
    step = float(table["be"].max()) / 22
    leaders: list[tuple[float | None, float | None]] = []
    labels: list[tuple[float, float, str, str]] = []
    for rows, side in zip(farthest(table, n_units, _N_FAR), (1, -1), strict=True):
        heights: list[float] = []
        for token, x, y in table[["token", "log10_p", "be"]].iloc[rows].itertuples(index=False):
            if token == chosen or any(abs(y - height) < step for height in heights) or len(heights) == _N_LABELS:
                continue
            heights.append(y)
            end = (x - side * 0.05 * width, (y + side * 0.028 * height) * factor)
            leaders += [(x, y * factor), end, (None, None)]
            labels.append((*end, marked_up(token), "middle left" if side > 0 else "middle right"))
    if not labels:
        return []
    lines_x, lines_y = zip(*leaders, strict=True)
    x, y, text, position = zip(*labels, strict=True)
    look: Trace = {"type": "scatter", "hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    line: Trace = {"mode": "lines", "x": lines_x, "y": lines_y, "line": {"color": GREY, "width": 1}}
    return [look | line, look | {"mode": "text", "x": x, "y": y, "text": text, "textposition": position}]


def _chosen_point(table: pd.DataFrame, factor: float, chosen: str) -> list[Trace]:
    marked = table[table["token"] == chosen].head(1)
    if marked.empty:
        return []
    trace: Trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": marked["log10_p"].to_numpy(),
        "y": marked["be"].to_numpy() * factor,
        "text": [f"<b>{marked_up(chosen)}</b>"],
        "textposition": "top center",
        "textfont": {"size": 16},
        "marker": {"symbol": "circle-open", "size": 14, "color": GREEN, "line": {"width": 3}},
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
    }
    return [trace]
