"""Tokens of several words, and words with final punctuation: the paper's Plot 1, for every round."""

import pandas as pd

from app.parts.figures.base import Plot, nothing_to_show
from app.parts.figures.charts import bars, chart, lines, single, split
from app.parts.figures.styles import Style
from app.parts.tables.composition import PAPER_SHARE
from app.texts.catalogue import translate
from engine.pictures.palette import GREEN, PINK, VERMILLION

_FORMS = {"multi_word": Style(GREEN, pattern="x"), "punctuated": Style(PINK, pattern="/")}
_HEIGHT = 420


def special_forms_figure(table: pd.DataFrame, language: str) -> Plot:
    """Shares of the special forms in the rounds of a `composition_table`, with the paper's figures."""
    title = translate("scores.composition.forms", language)
    if table.empty:
        return nothing_to_show(title, language, _HEIGHT)
    forms = table.melt(["number", "vocab_size"], list(_FORMS), "form", "count")
    forms["share"] = forms["count"] / forms["vocab_size"].clip(lower=1)
    names = {form: translate(f"scores.form.{form}", language) for form in _FORMS}
    hover = "%{customdata:,} (%{y:.2%})<extra>%{fullData.name}</extra>"
    traces = bars(split(forms, "form", names, _FORMS), "number", "share", hover, customdata="count")
    ends = pd.DataFrame({"number": [table["number"].min() - 0.5, table["number"].max() + 0.5], "share": PAPER_SHARE})
    paper = translate("scores.composition.paper", language, share=PAPER_SHARE)
    line = single(ends, Style(VERMILLION, dash="dash"), paper)
    traces += lines(line, "number", "share", None, mode="lines", width=3, marker=None)
    xaxis = {"title": translate("figure.axis.round", language), "dtick": 1}
    yaxis = {"title": translate("scores.axis.share", language), "tickformat": "~%", "rangemode": "tozero"}
    return chart(traces, title, language, _HEIGHT, barmode="stack", hovermode="x unified", xaxis=xaxis, yaxis=yaxis)
