"""Collocates of what a concordance lists: windows, a picture, a table, and the one whose lines are listed alone."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from app.concordance.tables import ORDERS, collocate_table, drawn_collocates
from app.parts.choices import read_choice, url_choice, url_number
from app.parts.data_table import download_csv, pick_row
from app.parts.figures.bars import ranked_bars_figure
from app.parts.layout import render_figure
from app.server.remember import remember
from app.session import state
from app.session.models import ActiveModel
from app.session.url import UrlValue, short_text
from app.share.facts import render_commands, search_commands
from app.texts.commands import collocates_command
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.measure.collocates import MAX_WINDOW, Sides, Windows, collocates, has_near, sides_of, windows_of
from engine.measure.layers import MORPHEMES, TOKENS, WORDS, Layer, Spans
from engine.query.text import SearchedText

_MAX_LABEL, _MAX_ROWS = 80, 500
_WIDTH, _LEAST, _MAX_LEAST = 5, 3, 1000
_COLLOCATE = UrlValue("collocate", "kwic.collocate", short_text(_MAX_LABEL), state.pack_text, "")


class Node(NamedTuple):
    """What collocates are near.

    Attributes
    ----------
    key : identifies it and its text.
    layers : that finding it needs.
    find : its occurrences.
    active : the model, whose text is searched.
    is_finished : whether the tokens are those of its last round, as on the command line.
    query : the same as a query; empty if there is none.
    """

    key: tuple[Hashable, ...]
    layers: list[str]
    find: Callable[[SearchedText], Spans]
    active: ActiveModel
    is_finished: bool
    query: str = ""

    def command_options(self, layers: Sequence[str]) -> dict[str, object] | None:
        """The options with which the command line finds these layers; None if it cannot."""
        if TOKENS in layers and not self.is_finished:
            return None
        return {"analyser": analyser_in_use()} if MORPHEMES in layers else {}


class Near(NamedTuple):
    """The occurrences that have the picked collocate near them, and its label."""

    label: str
    spans: Spans


class _Collocates(NamedTuple):
    nodes: Spans
    layer: Layer
    sides: Sides
    windows: Windows
    table: pd.DataFrame


def analyser_in_use() -> str | None:
    """The analyser that the session has chosen, or the first; None if none is installed."""
    names = installed_analysers()
    return read_choice("analyser", names, names[0]) if names else None


def render_collocates(node: Node, searched: Callable[[list[str]], SearchedText]) -> Near | None:
    """The section; returns what the concordance is to list alone.

    Parameters
    ----------
    searched : makes the text with these layers; raises NotReadyError meanwhile.
    """
    st.subheader(t("collocates.heading"))
    unit = _unit()
    columns = st.columns(3)
    with columns[0]:
        left = url_number("near_left", t("collocates.left"), 0, MAX_WINDOW, _WIDTH, 1)
    with columns[1]:
        right = url_number("near_right", t("collocates.right"), 0, MAX_WINDOW, _WIDTH, 1)
    with columns[2]:
        least = url_number("near_least", t("collocates.least"), 1, _MAX_LEAST, _LEAST, 1)
    by = url_choice("near_by", t("collocates.by"), {name: t(f"collocates.{name}") for name in ORDERS}, ORDERS[0])
    if not left and not right:
        st.caption(t("collocates.no_window"))
        return None
    text = searched(list(dict.fromkeys([*node.layers, unit])))
    key = (*node.key, unit, left, right, least)
    found = remember("collocates", key, lambda: _collocates_of(node, text, unit, left, right, least), 4)
    _about(found, unit)
    if not found.table.empty:
        _render(node, found, by, unit)
        if node.query and (told := node.command_options([*node.layers, unit])) is not None:
            window = {"unit": unit, "left": int(left), "right": int(right), "min-count": int(least), "sort": by}
            options = {"node": node.query, **window, **told}
            render_commands(search_commands(collocates_command, node.active, options))
    return _near(found)


def _unit() -> str:
    units = [TOKENS, WORDS, *([MORPHEMES] if installed_analysers() else [])]
    return url_choice("near", t("collocates.unit"), {name: t(f"collocates.{name}") for name in units}, TOKENS)


def _collocates_of(node: Node, text: SearchedText, unit: str, left: int, right: int, least: int) -> _Collocates:
    nodes, layer = node.find(text), text.layers[unit]
    sides = sides_of(layer, text.starts, nodes, left, right)
    windows = windows_of(sides, len(layer.begin))
    found = collocates(layer, windows, len(nodes.line), least)
    return _Collocates(nodes, layer, sides, windows, collocate_table(found, layer.labels))


def _about(found: _Collocates, unit: str) -> None:
    near, total = int(found.windows.is_near.sum()), int((~found.windows.is_node).sum())
    parts = [t("collocates.about", nodes=len(found.nodes.line), near=near, total=total, count=len(found.table))]
    if unit == MORPHEMES:
        parts.append(t("morpheme.silver", program=ANALYSERS[analyser_in_use() or ""].title))
    st.caption(" ".join(parts))


def _render(node: Node, found: _Collocates, by: str, unit: str) -> None:
    table = found.table.sort_values(by, ascending=False, kind="stable", ignore_index=True)
    drawn = drawn_collocates(table, by)
    figure = ranked_bars_figure(drawn, "", t(f"collocates.{by}"), language())
    render_figure(figure, "collocates.bars", t("collocates.chart"))
    notes = [t("collocates.drawn"), *([t("collocates.no_interval")] if by == "g2" else [])]
    st.caption(" ".join(notes))
    column = st.column_config
    columns = {
        "collocate": column.TextColumn(t("collocates.collocate"), pinned=True),
        **{
            name: column.NumberColumn(t(f"collocates.{name}"), format="localized", help=t(f"collocates.help.{name}"))
            for name in ("observed", "left_count", "right_count", "frequency")
        },
        **{
            name: column.NumberColumn(t(f"collocates.{name}"), format="%.2f", help=t(f"collocates.help.{name}"))
            for name in ("expected", *ORDERS[:-1])
        },
        "p": column.NumberColumn("p", format="%.3g", help=t("collocates.help.p")),
    }
    shown = table.head(_MAX_ROWS).rename(columns={"left": "left_count", "right": "right_count"})
    pick_row(
        shown,
        "collocates.table",
        lambda row: _COLLOCATE.set(str(table["label"].iloc[row])[:_MAX_LABEL]),
        columns,
        alt=t("collocates.chart"),
    )
    st.caption(t("collocates.pick"))
    measured = {name.removesuffix("_count"): about for name, about in columns.items() if name != "collocate"}
    download_csv(
        f"collocates-{unit}",
        lambda: table.drop(columns="collocate"),
        of=node.active.text,
        columns={"label": t("collocates.collocate"), **measured},
        interval="count",
    )


def _near(found: _Collocates) -> Near | None:
    """The picked collocate; `collocate` in the URL."""
    label = _COLLOCATE.adopt()
    _COLLOCATE.publish(label)
    if not label or label not in found.layer.labels:
        return None
    st.button(
        t("collocates.all_lines", collocate=plain(label)),
        key="collocates.clear",
        icon=":material/filter_alt_off:",
        on_click=lambda: _COLLOCATE.set(""),
    )
    own = has_near(found.layer, found.sides, found.windows, found.layer.labels.index(label))
    return Near(label, Spans(*(one[own] for one in found.nodes)))
