"""One table, figure or passage of a source: what it prints, our measurement, and the claims; and their figures."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from app.components.pictures import token_strip
from app.parts.choices import url_choice
from app.parts.figures.base import FONT_SIZE, Plot, arrange, marked_up
from app.parts.figures.charts import NUMBERS_INSIDE, STACKED_ROWS, bars, dots, lines, single, split
from app.parts.figures.lines import growth_figure
from app.parts.figures.styles import GREY, Style
from app.parts.layout import render_figure
from app.texts.catalogue import TEXT_LANGUAGE, catalogue
from app.texts.i18n import language, page_address, t
from app.texts.plain import plain
from app.views.papers.tables import ends_of, our_table, piece_row, printed_table
from engine.evidence.claims import AGREES, DIFFERS, GREETING, NOT_MEASURED, SENTENCE, UNDECIDED, Claim, Exhibit
from engine.evidence.show import named, ours_text, reason, value_text
from engine.evidence.stored import Evidence, stored
from engine.pictures.palette import BLUE, GREEN, OCHRE, VERMILLION
from engine.public.catalogue import PUBLIC_TOKENIZERS

_USUAL_ORDER = "3"


_FILE = Path(__file__).resolve().parents[3] / "assets" / "papers" / "kortok_study.csv"
# Columns of the test sets; KorQuAD has only a development set.
_QUALITIES = ("bleu_ko_en_test", "bleu_en_ko_test", "korquad_f1_dev", "kornli_test", "korsts_test", "nsmc_test")
_TICKS = (20, 30, 50, 70, 100, 150)
_RANGE = (1.22, 2.28)  # logarithms to base 10, with room for the labels
QUALITIES = (*_QUALITIES, "pawsx_test")


_NARROW = 4  # most columns of a table that can be placed side by side with another
_LINE = 125  # characters of a line, without the link
_SHORT = 32  # a value that is no longer is shown anyway
SIGNS = {
    AGREES: ":green[:material/check_circle:]",
    DIFFERS: ":red[:material/cancel:]",
    UNDECIDED: ":blue[:material/help:]",
    NOT_MEASURED: ":gray[:material/remove_circle:]",
}


def claim_line(claim: Claim, exhibit: Exhibit) -> str:
    """A claim in a line: what it says, ours, the source's value if it fits, and the link."""
    parts = [f"**{plain(claim.place)}** {_statement(claim)}"]
    room = max(_LINE - len(parts[0]), _SHORT)
    for value in reversed(_values(claim, room)):
        parts += [value] if len(parts) == 1 or len(value) < room else []
        room -= len(value)
    if exhibit.live:
        parts.append(f"[{t('papers.live')}]({_address(exhibit)})")
    return "- " + " · ".join(parts)


def render_exhibit(exhibit: Exhibit) -> None:
    """An exhibit: its tables or strips, and its claims with the full quotation and the reason."""
    _BODIES.get(exhibit.id, _render_tables)(exhibit)
    if f"papers.note.{exhibit.id}" in catalogue():
        st.caption(t(f"papers.note.{exhibit.id}"))
    if exhibit.claims:
        st.markdown("\n".join(map(_full, exhibit.claims)))
    if exhibit.live:
        page = t(f"frame.page.{exhibit.live['page']}")
        st.markdown(f":material/open_in_new: [{t('papers.live')}: {page}]({_address(exhibit)})")


def _address(exhibit: Exhibit) -> str:
    return page_address(exhibit.live["page"], **{name: value for name, value in exhibit.live.items() if name != "page"})


def _full(claim: Claim) -> str:
    """A bullet: the verdict, the claim, both values, and why."""
    lines = [f"- {SIGNS[claim.verdict]} **{t(f'papers.verdict.{claim.verdict}')}** {_statement(claim)}"]
    lines += [" · ".join(values)] if (values := _values(claim)) else []
    lines += [f"*{plain(why)}*"] if (why := reason(claim, language())) else []
    return "  \n  ".join(lines)


def _statement(claim: Claim) -> str:
    slip = f" ({t('papers.slip')})" if claim.is_slip else ""
    return plain(t(f"papers.claim.{claim.id}") + slip)


def _values(claim: Claim, longest: int = sys.maxsize) -> list[str]:
    """What is printed, corrected and ours; a longer one is left out."""
    values = {
        "printed": f"“{claim.printed}”" if isinstance(claim.printed, str) else value_text(claim.printed, claim.rule),
        "correction": value_text(claim.correction),
        "ours": ours_text(claim, language(), longest),
    }
    told = {
        name: f"{t(f'papers.{name}')} {plain(shown)}" for name, shown in values.items() if 0 < len(shown) <= longest
    }
    return [f":gray[{one}]" if name == "printed" else one for name, one in told.items()]


def _frame(key: str, heading: str, table: pd.DataFrame) -> None:
    st.markdown(f"**{heading}**")
    columns = {"": st.column_config.TextColumn("", pinned=True)}
    st.dataframe(table, hide_index=True, column_config=columns, key=key, placeholder="–")


def _named(name: str) -> str:
    return named(name, language())


def _render_tables(exhibit: Exhibit) -> None:
    """The source's table and ours: side by side if both are narrow."""
    is_table = isinstance(exhibit.printed, Mapping) and bool(exhibit.columns)
    printed = printed_table(exhibit, _named) if is_table else pd.DataFrame()
    ours = our_table(exhibit, _named) if isinstance(exhibit.ours, Mapping | list) else pd.DataFrame()
    shown = [(name, table) for name, table in (("printed", printed), ("ours", ours)) if len(table)]
    headings = {"printed": t("papers.printed_table"), "ours": t("papers.our_table")}
    is_narrow = len(shown) > 1 and all(len(table.columns) <= _NARROW for _, table in shown)
    places = st.columns(len(shown)) if is_narrow else [st.container() for _ in shown]
    for place, (name, table) in zip(places, shown, strict=True):
        with place:
            _frame(f"papers.{exhibit.id}.{name}", headings[name], table)
    if any(" – " in str(cell) for cell in ours.to_numpy().ravel()):
        st.caption(t("papers.cell_interval"))


def _strips(text: str) -> Callable[[Exhibit], None]:
    """Strips of a text as segmented by the source and by us, tokenizer by tokenizer."""

    def render(exhibit: Exhibit) -> None:
        rows = []
        for name, pieces in (exhibit.ours or {}).items():
            if name in exhibit.printed:
                rows.append(piece_row(t("papers.row.printed", name=name), exhibit.printed[name], text))
            rows.append(piece_row(t("papers.row.ours", name=name), pieces, text))
        if rows:
            token_strip(
                f"papers.{exhibit.id}.strip",
                rows,
                chars=list(text),
                show_help=False,
                count_title=t("strips.column.tokens"),
                lang=TEXT_LANGUAGE,
            )

    return render


def _render_curve(exhibit: Exhibit) -> None:
    """The paper's sentence: our n-gram model's entropy, the paper's cuts and ours."""
    if exhibit.ours is None:
        return
    pieces = list(exhibit.printed)
    names = {name: t(f"papers.curve.{name}") for name in ("entropy", "printed", "ours")}
    title = t("papers.curve.title")
    cuts = {"printed": ends_of(pieces), "ours": ends_of(exhibit.ours["pieces"])}
    figure = curve_figure("".join(pieces), exhibit.ours["bits"], cuts, names, title, t("papers.curve.axis"))
    render_figure(figure, "papers.curve", title)
    st.caption(t("papers.curve.note"))


def _render_public(exhibit: Exhibit) -> None:
    """Our table of the available public tokenizers, by year."""
    rows = [
        {
            "": one.name,
            "title": one.title,
            "year": str(one.year),
            "vocab_size": f"{one.vocab_size:,}",
            "unit": t("papers.unit.characters" if one.pattern is None else "papers.unit.bytes"),
            "licence": one.licence,
        }
        for one in sorted(PUBLIC_TOKENIZERS.values(), key=lambda one: one.year)
    ]
    named = (
        ("year", "title", "vocab_size", "unit", "licence")
        if exhibit.id == "properties"
        else ("year", "title", "vocab_size")
    )
    table = pd.DataFrame(rows)[["", *named]].rename(columns={name: t(f"papers.column.{name}") for name in named})
    _frame(f"papers.{exhibit.id}.public", t("papers.our_table"), table)


def _render_prediction(exhibit: Exhibit) -> None:
    """What more text gains, the Korean study, and the table of the numbers."""
    render_prediction(stored(exhibit.evidence))
    render_korean_study()
    _render_tables(exhibit)


_BODIES: dict[str, Callable[[Exhibit], None]] = {
    "table2": _strips(SENTENCE),
    "greeting": _strips(GREETING),
    "figure5_cuts": _render_curve,
    "x_ngrams": _render_prediction,
    "properties": _render_public,
    "timeline": _render_public,
}


def korean_study() -> pd.DataFrame:
    """Their two tables, one row per tokenizer: strategy, vocabulary (size), mean_tokens (a sentence), and QUALITIES;
    NaN where they did not run it."""
    return pd.read_csv(_FILE)


def render_korean_study() -> None:
    """The figure, at a task of the visitor's choice."""
    names = {one: t(f"papers.korean_study.{one}") for one in QUALITIES}
    quality = url_choice("study_task", t("papers.korean_study.task"), names, QUALITIES[0])
    title = t("papers.korean_study.title")
    axes = (t("papers.korean_study.tokens"), names[quality])
    table = korean_study()
    table["strategy"] = [named(one, language()) for one in table["strategy"]]
    figure = korean_study_figure(table, quality, title, axes)
    render_figure(figure, "papers.korean_study", title)
    st.caption(t("papers.korean_study.source"))


def korean_study_figure(table: pd.DataFrame, quality: str, title: str, axes: tuple[str, str]) -> Plot:
    """A dot per tokenizer, a series per strategy, with the vocabulary size at both ends of each."""
    table = table.dropna(subset=[quality])
    strategies, sizes = table.groupby("strategy"), table["vocabulary"].astype(str)
    is_end = (strategies.cumcount() == 0) | (strategies.cumcount(ascending=False) == 0)
    traces = lines(
        split(table.assign(size=sizes, label=sizes.where(is_end, "")), "strategy"),
        "mean_tokens",
        quality,
        "%{fullData.name} %{customdata}<br>%{x:.2f}, %{y:.2f}",
        width=1,
        size=12,
        dash="solid",
        mode="lines+markers+text",
        text="label",
        customdata="size",
        textposition="middle right",
    )
    xaxis = {"title": axes[0], "type": "log", "tickvals": _TICKS, "range": _RANGE}
    return arrange(traces, title, 480, xaxis=xaxis, yaxis={"title": axes[1]})


def render_prediction(found: Evidence) -> None:
    """What the stored n-gram models gain by reading more, at an order of the visitor's choice."""
    bytes_each = str(found.settings["context_bytes"])
    names = {
        order: t("papers.prediction.bytes", n=bytes_each) if order == "bytes" else t("papers.prediction.order", n=order)
        for order in next(iter(found.figures["parts"].values()))
    }
    order = url_choice("ngram_order", t("papers.prediction.context"), names, _USUAL_ORDER)
    against = found.settings["against"]["parts"]
    title = t("papers.prediction.curve", name=against)
    axes = (t("papers.prediction.megabytes"), t("papers.prediction.change_axis"))
    figure = growth_figure(change_table(found.figures, order), "name", "change", title, axes, language())
    render_figure(figure, "papers.prediction_curve", title)


def change_table(figures: Mapping[str, Any], order: str) -> pd.DataFrame:
    """A row per amount of text and tokenizer.

    Columns: name, vocab_size (megabytes, as `growth_figure` wants it), change (percent).
    """
    rows = [
        (name, int(megabytes), one["change"][0])
        for megabytes, orders in figures["parts"].items()
        for name, one in orders[order].items()
    ]
    return pd.DataFrame(rows, columns=["name", "vocab_size", "change"])


# What holds, what does not, what nobody can say, with colour and pattern; a slip is the source's own.
_OUTCOMES = {
    "agrees": Style(GREEN),
    "differs": Style(VERMILLION, pattern="/"),
    "slip": Style(OCHRE, pattern="x"),
    "undecided": Style(BLUE, pattern="-"),
    "not_measured": Style(GREY),
}
_CUTS = {"printed": Style(VERMILLION, "triangle-up"), "ours": Style(GREEN, "diamond")}


def curve_figure(
    text: str, bits: Sequence[float], cuts: Mapping[str, Sequence[int]], names: Mapping[str, str], title: str, axis: str
) -> Plot:
    """Entropy before every character, and cuts by name (`printed`, `ours`) as rows of marks below the curve."""
    curve = pd.DataFrame({"place": range(len(text)), "bits": bits})
    traces = lines(single(curve, name=names["entropy"]), "place", "bits", "%{y:.2f}", width=2, size=7)
    for k, (name, style) in enumerate(_CUTS.items(), start=1):
        places = [end - 0.5 for end in cuts[name] if end < len(text)]
        inner = pd.DataFrame({"place": places, "bits": -0.08 * k * max(bits)})
        traces += dots(single(inner, style, names[name]), "place", "bits", None, size=11, hoverinfo="name")
    xaxis = {
        "tickvals": list(range(len(text))),
        "ticktext": [marked_up(char) for char in text],
        "range": [-0.7, len(text) - 0.3],
        "showgrid": False,
        "tickangle": 0,
    }
    return arrange(traces, title, 340, yaxis={"title": axis}, xaxis=xaxis)


def verdicts_figure(table: pd.DataFrame, names: Mapping[str, str], title: str) -> Plot:
    """A bar per source: its claims by outcome.

    Parameters
    ----------
    table : columns source (title) and those of `names`, which do not overlap.
    names : of the verdicts and of slip.
    """
    outcomes = split(table.melt("source", list(_OUTCOMES), "outcome", "claims"), "outcome", names, _OUTCOMES)
    traces = bars(
        outcomes,
        "claims",
        "source",
        "%{y}<br>%{fullData.name}: %{x}",
        text=lambda rows: [f"<b>{number}</b>" if number else "" for number in rows["claims"]],
        textfont={"size": FONT_SIZE + 1, "color": "white"},
        **NUMBERS_INSIDE,
    )
    height = 150 + 38 * len(table)
    return arrange(traces, title, height, bargap=0.25, xaxis={"showgrid": False}, **STACKED_ROWS)
