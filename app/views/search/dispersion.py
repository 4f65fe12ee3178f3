"""Dispersion of a search: where its hits are in the parts of the corpus, and how evenly they are spread."""

import streamlit as st

from app.parts.data_table import download_csv, draw_table, headings
from app.parts.layout import layout, render_figure
from app.texts.i18n import language, t
from app.views.search.concordance import render_count
from app.views.search.field import choose_search, problems_shown
from app.views.search.figures import spread_figure
from app.views.search.hits import evenness, part_table, place_table


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
            columns = headings("search.part", part="", count="localized", words="localized", per_million="%.1f")
            draw_table(parts, columns)
            download_csv("dispersion", lambda: parts, of=search.text, columns=columns)
