"""One sentence in two languages: the cost of the same meaning, before any averages."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.parts.data_table import PINNED, draw_table, headings
from app.parts.problem import reason
from app.parts.side_by_side import Cut, cut_text, render_strips
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.text_link import url_text
from app.session.models import ActiveTokenizer
from app.texts.i18n import t
from app.texts.plain import plain
from engine.errors import InputError

# The pair of the interactive lesson: 4 and 13 tokens under GPT-4's tokenizer.
_FIRST = url_text("first", "fertility.first", "I love machine learning")
_SECOND = url_text("second", "fertility.second", "나는 기계 학습을 좋아합니다")
_MAX_LENGTH = 200


def render_pair(shown: Sequence[ActiveTokenizer]) -> pd.DataFrame | None:
    """Two fields, the strips of both sentences, and a table of their token counts; returns it, None without texts."""
    texts = []
    for cell, field, name in zip(st.columns(2), (_FIRST, _SECOND), ("first", "second"), strict=True):
        field.adopt()
        typed = cell.text_input(
            t(f"fertility.pair.{name}"), key=field.key, max_chars=_MAX_LENGTH, persist_state="session"
        )
        texts.append(joined_surrogates(typed or ""))
        if len(texts[-1]) <= _MAX_LENGTH:
            field.publish(typed or "")
    if not all(text.strip() for text in texts):
        st.info(t("fertility.pair.empty"), icon=":material/edit:")
        return None
    if max(map(len, texts)) > _MAX_LENGTH:
        st.warning(t("fertility.pair.long", limit=_MAX_LENGTH), icon=":material/content_cut:")
        return None
    if not shown:
        return None
    try:
        cuts = [cut_text(f"fertility.pair.{k}", shown, text) for k, text in enumerate(texts)]
    except InputError as error:
        st.warning(plain(reason(error)), icon=":material/warning:")
        return None
    for k, cut in enumerate(cuts):
        render_strips(f"fertility.pair.{k}", cut, show_help=False)
    table = _table(*cuts)
    counts = headings("fertility.pair", first="", second="", times="%.2f×")
    columns = headings("fertility.column", tokenizer=PINNED) | counts
    draw_table(table[list(columns)], columns, "fertility.pair")
    return table


def _table(first: Cut, second: Cut) -> pd.DataFrame:
    """Tokens of both sentences under the tokenizers that can represent both.

    Columns: reference, tokenizer (title), first, second, times.
    """
    counts = [
        {active.reference: one.ids.size for active, one in zip(cut.shown, cut.segmentations, strict=True)}
        for cut in (first, second)
    ]
    both = [active for active in first.shown if active.reference in counts[1]]
    rows = [(active.reference, active.title, *(count[active.reference] for count in counts)) for active in both]
    table = pd.DataFrame(rows, columns=["reference", "tokenizer", "first", "second"])
    return table.assign(times=table["second"] / table["first"])
