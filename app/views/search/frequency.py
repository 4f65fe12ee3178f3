"""Frequency: lists and n-grams of eojeols, morphemes or tokens, with their range; and where in the parts hits are."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import MAX_ROWS, download_csv, draw_table, headings
from app.parts.figures.bars import ranked_bars_figure
from app.parts.layout import layout, render_figure
from app.parts.tables.tokens import visible
from app.server.remember import remember
from app.texts.i18n import language, t
from app.views.search.choice import ChosenUnit
from app.views.search.compare import counted_units
from app.views.search.concordance import render_count
from app.views.search.field import choose_search, problems_shown, typed_word
from app.views.search.figures import spread_figure
from app.views.search.hits import evenness, part_table, place_table
from app.views.search.tables import TOKENS, Unit
from engine.measure.corpus_units import CorpusUnits
from engine.pictures.showable import showable

_LENGTHS, _BARS = ("1", "2", "3", "4"), 15
_MAX_NGRAMS = 20_000  # looked at for what is typed
_PARTS, _IN = range(2, 14), "per_million_{}"  # how many parts have a column each, and its name


def render_frequency() -> None:
    view = layout()
    search = choose_search(view, is_filter=True)
    with view.scrubber:
        length = int(url_choice("n", t("search.length"), {name: name for name in _LENGTHS}, _LENGTHS[0]))
        groups = search.groups()
    tokenizer = search.active.model if search.unit == TOKENS else None
    key = (search.unit, search.analyser, search.active.sha256 if tokenizer else "", search.step)
    unit = ChosenUnit(Unit(search.unit, tokenizer, search.analyser), key, None, search.step)
    with problems_shown(view):
        units = counted_units(view, search.text, unit)
        if units is None:
            return
        parts: dict[str, list[int]] = {}
        for file in search.files:
            parts.setdefault(groups[file], []).append(file)
        parts = parts if len(parts) in _PARTS else {}
        own = (search.text.digest, key, search.files, length, tuple(parts))
        every = remember("search.ngrams", own, lambda: _ngram_table(units, search.files, length, unit.unit, parts), 2)
        word = typed_word()
        table = every[every["item"].str.contains(visible(word), regex=False)] if word else every
        table = table.reset_index(drop=True)
        with view.picture:
            first = table.head(_BARS).rename(columns={"item": "title", "count": "value"})
            first = first.assign(low=first["value"], high=first["value"], is_ours=True, best=False)
            title = t("search.frequent", n=length, unit=t(f"search.of.{search.unit}"))
            figure = ranked_bars_figure(first, title, t("search.part.count"), language(), has_values=False)
            render_figure(figure, "search.frequent", title)
        with view.sections:
            n_parts = int(table["n_parts"].iloc[0]) if len(table) else 0
            st.caption(t("search.frequency_note", n_parts=n_parts, shown=min(len(table), MAX_ROWS)))
            columns = headings("search.frequency", item="", count="localized", per_million="%,.1f", range="%d")
            columns |= {
                _IN.format(part): st.column_config.NumberColumn(
                    part, format="%,.1f", help=t("search.frequency.per_million")
                )
                for part in parts
            }
            draw_table(table.head(MAX_ROWS), columns)
            download_csv("frequency", lambda: table[list(columns)], of=search.text, columns=columns)


def _ngram_table(
    units: CorpusUnits, files: tuple[int, ...], length: int, unit: Unit, parts: Mapping[str, Sequence[int]]
) -> pd.DataFrame:
    """The most frequent ones: columns item, count, per_million, range, n_parts, and how many per million in each part.

    Parameters
    ----------
    parts : the files of each.
    """
    found = units.ngrams(files, length)
    types = found.types[:_MAX_NGRAMS]
    names = units.units.types
    label = unit.tokenizer.token_label if unit.tokenizer is not None else (lambda kind: names[kind] if names else "")
    items = [visible(showable(" ".join(label(kind) for kind in row))) for row in types.tolist()]
    if unit.tokenizer is not None:
        items = ["|".join(visible(label(kind)) for kind in row) for row in types.tolist()]
    counts, n = found.counts[:_MAX_NGRAMS], found.counts.sum()
    table = pd.DataFrame(
        {
            "item": items,
            "count": counts,
            "per_million": 1e6 * counts / max(1, n),
            "range": found.ranges[:_MAX_NGRAMS],
            "n_parts": found.n_parts,
        }
    )
    for part, own in parts.items():
        here = units.ngrams(own, length)
        counted = pd.DataFrame(types).merge(pd.DataFrame(here.types).assign(count=here.counts), how="left")["count"]
        table[_IN.format(part)] = 1e6 * counted.fillna(0) / max(1, here.counts.sum())
    return table


def render_dispersion() -> None:
    view = layout()
    search = choose_search(view)
    with problems_shown(view):
        with view.scrubber:
            groups = search.groups()
        with view.picture:
            spans = search.hits()
            title = t("search.parts_title", text=search.typed)
            places = place_table(spans, search.text.files(), groups, search.typed)
            render_figure(spread_figure(places, title, language()), "search.spread", title)
        with view.sections:
            render_count(search, spans)
            parts = part_table(spans, search.text.files(), groups, search.words())
            if len(spans.line):
                dp, juilland, n_parts = evenness(parts)
                st.markdown(t("search.evenness", dp=dp, juilland=juilland, n_parts=n_parts, parts=len(parts)))
            columns = headings("search.part", part="", count="localized", words="localized", per_million="%,.1f")
            draw_table(parts, columns)
            download_csv("dispersion", lambda: parts, of=search.text, columns=columns)
