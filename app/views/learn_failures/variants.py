"""Robustness: what typing errors, wrong spaces and other ways of writing Korean do to the tokens of a few lines."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import render_data
from app.parts.figures.base import Plot, marked_up
from app.parts.figures.charts import chart, dots, interval, split
from app.parts.layout import Layout, render_figure
from app.parts.side_by_side import Cut, cut_text, render_strips
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.texts.catalogue import translate
from app.texts.corpora import own_text
from app.texts.i18n import language, t
from engine.corpus.normalize import composed
from engine.measure.robustness import COLUMNS, robustness_rows, varies
from engine.measure.variants import RATE, VARIANTS, variant, written

_CUTS, _TOKENS = "changed_cuts", "added_per_character"
_ROW = 46  # pixels


def render_variants(view: Layout, lines: Sequence[str], tokenizers: Sequence[ActiveTokenizer]) -> list[Cut]:
    """The figure over all lines, and below it the first line beside one of its variants, whose cuts are returned.

    Raises
    ------
    InputError : a tokenizer cannot encode a line.
    """
    composed_lines = [composed(line) for line in lines]
    kinds = [kind for kind in VARIANTS if varies(composed_lines, kind)]
    titles = {kind: t(f"learn_failures.variant.{kind}") for kind in kinds}
    with view.scrubber:
        names = {name: t(f"learn_failures.robust.{name}") for name in (_CUTS, _TOKENS)}
        measure = url_choice("robust", t("learn_failures.robust.label"), names, _CUTS)
    if not kinds:
        with view.picture:
            st.info(t("learn_failures.robust.none"), icon=":material/edit:")
        return []
    table = _table(lines, tokenizers, kinds)
    with view.picture:
        figure = robustness_figure(table, titles, measure, language())
        render_figure(figure, "failures.robustness", t("learn_failures.robust.alt"))
    with view.sections:
        st.caption(t("learn_failures.robust.note", lines=len(lines), share=100 * RATE))
        columns = {
            name: t(f"learn_failures.robust.column.{name}") for name in ("variant", "model", *COLUMNS[5:], "best")
        }
        named = table[list(columns)].assign(variant=table["variant"].map(titles))
        render_data("robustness", named, columns, of=own_text("\n".join(lines)))
        shown = url_choice("variant", t("learn_failures.robust.shown"), titles, kinds[0])
        texts = [composed_lines[0], written(variant(lines[0], shown))]
        cuts = [cut_text(f"failures.{k}", tokenizers, text) for k, text in enumerate(texts)]
        for k, cut in enumerate(cuts):
            render_strips(f"failures.{k}", cut, show_help=k == 0)
        return cuts


def _table(lines: Sequence[str], tokenizers: Sequence[ActiveTokenizer], kinds: Sequence[str]) -> pd.DataFrame:
    models = [(f"{k}. {one.title}", one.model) for k, one in enumerate(tokenizers, start=1)]
    key = (tuple((name, one.sha256) for (name, _), one in zip(models, tokenizers, strict=True)), tuple(lines))
    found = remember("failures.robustness", key, lambda: robustness_rows(models, {"": lines}, kinds))
    return pd.DataFrame(found, columns=[*COLUMNS, "best"])


def robustness_figure(table: pd.DataFrame, titles: Mapping[str, str], measure: str, language: str) -> Plot:
    """A row per variant with a dot and its interval for each tokenizer, of a table of `robustness_rows`.

    Parameters
    ----------
    titles : of the variants, in their order.
    measure : `changed_cuts` or `added_per_character`.
    """
    bounds = {name: 100 * table[name].astype(float) for name in (measure, f"{measure}_low", f"{measure}_high")}
    table = table.assign(title=table["variant"].map(titles), **bounds)
    table = table[table[measure].notna()]
    traces = dots(
        split(table, "model"),
        measure,
        "title",
        "%{y}<br>%{fullData.name}: %{x:.1f}",
        size=9,
        orientation="h",
        error_x=interval(measure, f"{measure}_low", f"{measure}_high", thickness=1.5),
    )
    title = translate(f"learn_failures.robust.title.{measure}", language)
    values = table[list(bounds)]
    low, high = values.min(axis=None), values.max(axis=None)
    # Room for the marks at both ends: an axis of lying traces would begin at 0.
    ends = [low - 0.03 * (high - low), high + 0.03 * (high - low)] if high > low else None
    xaxis = {"title": translate(f"learn_failures.robust.axis.{measure}", language), "range": ends}
    yaxis = {"autorange": "reversed", "categoryorder": "array", "categoryarray": [*map(marked_up, titles.values())]}
    return chart(traces, title, language, 170 + _ROW * len(titles), scattermode="group", xaxis=xaxis, yaxis=yaxis)
