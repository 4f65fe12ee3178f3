"""Collocates of a search: windows, a picture, a table, and the lines of the one that is picked."""

from typing import NamedTuple

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_number
from app.parts.data_table import PINNED, download_csv, headings, pick_row
from app.parts.figures.bars import ranked_bars_figure
from app.parts.layout import layout, render_figure
from app.server.remember import remember
from app.session import state
from app.session.url import UrlValue, short_text
from app.share.facts import render_commands, search_commands
from app.texts.commands import collocates_command
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.search.concordance import render_rows
from app.views.search.field import Search, choose_search, problems_shown
from app.views.search.hits import MAX_HITS, chosen_spans, hit_table, spread
from app.views.search.tables import ORDERS, collocate_table, drawn_collocates
from engine.measure.collocates import MAX_WINDOW, Sides, Windows, collocates, has_near, sides_of, windows_of
from engine.measure.layers import MORPHEMES, Layer, Spans

_MAX_LABEL, _MAX_ROWS = 80, 500
_WIDTH, _LEAST, _MAX_LEAST = 5, 2, 1000
_COLLOCATE = UrlValue("collocate", "search.collocate", short_text(_MAX_LABEL), state.pack_text, "")


class _Collocates(NamedTuple):
    nodes: Spans
    layer: Layer
    sides: Sides
    windows: Windows
    table: pd.DataFrame


def render_collocates() -> None:
    view = layout()
    search = choose_search(view)
    with view.scrubber:
        columns = st.columns(3)
        with columns[0]:
            left = url_number("near_left", t("collocates.left"), 0, MAX_WINDOW, _WIDTH, 1)
        with columns[1]:
            right = url_number("near_right", t("collocates.right"), 0, MAX_WINDOW, _WIDTH, 1)
        with columns[2]:
            least = url_number("near_least", t("collocates.least"), 1, _MAX_LEAST, _LEAST, 1)
        by = url_choice("near_by", t("collocates.by"), {name: t(f"collocates.{name}") for name in ORDERS}, ORDERS[0])
    if not left and not right:
        view.picture.caption(t("collocates.no_window"))
        return
    with problems_shown(view):
        with view.picture:
            query = search.query
            layers = list(dict.fromkeys([*(query.layers if query is not None else ()), search.unit]))
            text = search.layered(layers)
            nodes = search.hits(text)
            key = (search.key, left, right, least)

            def find() -> _Collocates:
                layer = text.layers[search.unit]
                sides = sides_of(layer, text.starts, nodes, left, right)
                windows = windows_of(sides, len(layer.begin))
                found = collocates(layer, windows, len(nodes.line), least)
                return _Collocates(nodes, layer, sides, windows, collocate_table(found, layer.labels))

            found = remember("collocates", key, find, 2)
            table = found.table.sort_values(by, ascending=False, kind="stable", ignore_index=True)
            title, axis = t("collocates.chart", text=search.typed), t(f"collocates.{by}")
            figure = ranked_bars_figure(drawn_collocates(table, by), title, axis, language(), has_values=False)
            render_figure(figure, "collocates.bars", title)
        with view.sections:
            _render_about(search, found, by)
            _render_table(search, table, title)
            _render_near(search, found)
            if query is not None:
                window = {"unit": search.unit, "left": int(left), "right": int(right), "min-count": int(least)}
                options = {"node": query.text, **window, "sort": by}
                if MORPHEMES in layers:
                    options["analyser"] = search.analyser
                render_commands(search_commands(collocates_command, search.text, search.active, options))


def _render_about(search: Search, found: _Collocates, by: str) -> None:
    near, total = int(found.windows.is_near.sum()), int((~found.windows.is_node).sum())
    parts = [t("collocates.drawn"), *([t("collocates.no_interval")] if by == "g2" else [])]
    parts.append(t("collocates.about", nodes=len(found.nodes.line), near=near, total=total, count=len(found.table)))
    if search.unit == MORPHEMES:
        parts.append(t("morpheme.silver", program=search.analyser_title))
    st.caption(" ".join(parts))


def _render_table(search: Search, table: pd.DataFrame, title: str) -> None:
    counts = dict.fromkeys(("observed", "left_count", "right_count", "frequency"), "localized")
    measures = dict.fromkeys(("expected", *ORDERS[:-1]), "%,.2f")
    columns = headings("collocates", collocate=PINNED, is_weak=st.column_config.CheckboxColumn(), **counts, **measures)
    columns["p"] = st.column_config.NumberColumn("p", format="%.3g", help=t("collocates.p_help"))
    listed = table.head(_MAX_ROWS).rename(columns={"left": "left_count", "right": "right_count"})
    labels = listed["label"].astype(str).str[:_MAX_LABEL].tolist()
    pick_row(listed[list(columns)], "collocates.table", lambda row: _COLLOCATE.set(labels[row]), columns, alt=title)
    st.caption(t("collocates.pick"))
    measured = {name.removesuffix("_count"): about for name, about in columns.items() if name != "collocate"}
    download_csv(
        f"collocates-{search.unit}",
        lambda: table.drop(columns="collocate"),
        of=search.text,
        columns={"label": t("collocates.collocate"), **measured},
        interval="count",
    )


def _render_near(search: Search, found: _Collocates) -> None:
    """The lines of the picked collocate; `collocate` in the URL."""
    label = _COLLOCATE.adopt()
    _COLLOCATE.publish(label)
    if not label or label not in found.layer.labels:
        return
    is_near = has_near(found.layer, found.sides, found.windows, found.layer.labels.index(label))
    st.subheader(t("collocates.near", collocate=plain(label), count=int(is_near.sum())), anchor=False)
    own = chosen_spans(found.nodes, is_near)
    some = chosen_spans(own, spread(len(own.line), MAX_HITS))
    render_rows(search, hit_table(search.lines(), some), "collocates.rows")
