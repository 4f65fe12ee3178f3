"""A sentence of the visitor's own and its translation, and why one sentence differs from many."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.parts.data_table import PINNED, draw_table, headings
from app.parts.layout import Layout
from app.parts.problem import reason
from app.parts.side_by_side import Cut, cut_text, render_strips
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.tokenizer_set import ready_references, render_others
from app.server.remember import remember
from app.session.models import ActiveTokenizer, ready_tokenizer
from app.session.page_run import said_while_preparing
from app.session.reference import ModelReference
from app.session.titles import missing_note
from app.texts.corpora import parallel_texts
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.cost.premium import HEADLINED
from app.views.cost.stored import BASE, NEWS, SENTENCES, n_sentences, premium_table
from engine.errors import InputError
from engine.public.catalogue import PUBLIC_TOKENIZERS

# The pair of the interactive lesson: 4 and 13 tokens under GPT-4's tokenizer.
_FIRST = url_text("first", "fertility.first", "I love machine learning")
_SECOND = url_text("second", "fertility.second", "나는 기계 학습을 좋아합니다")
_MAX_LENGTH = 200
_TOKENIZER, _LANGUAGE = "cl100k_base", "ko"  # of this pair


def render_own_sentence(view: Layout) -> None:
    """The strips under the tokenizers of the page's sentence, and one line on the numbers."""
    with view.scrubber:
        others = render_others()
    with said_while_preparing():
        found = {name: ready_tokenizer(ModelReference(PUBLIC_TOKENIZERS[name].reference), None) for name in HEADLINED}
        shown = [active for active in found.values() if active]
        with view.picture:
            if missing := [name for name, active in found.items() if active is None]:
                st.caption(missing_note(missing))
            pair = _render_pair([*shown, *ready_references(others)])
        active = found[_TOKENIZER]
        if pair is None or active is None:
            return
        low, high = _range(active)
        of = {text: premium_table(text, _LANGUAGE).set_index("name")["value"][_TOKENIZER] for text in (SENTENCES, NEWS)}
        times = pair.set_index("reference")["times"].get(active.reference)
        if times is not None:
            n, news = n_sentences(SENTENCES), n_sentences(NEWS)
            values = {"all": of[SENTENCES], "of_news": of[NEWS], "n": n, "news": news}
            view.sections.caption(t("cost.why", times=times, low=low, high=high, **values))


def _range(active: ActiveTokenizer) -> tuple[float, float]:
    """The smallest and the largest ratio of a single built-in sentence."""

    def measure() -> tuple[float, float]:
        texts = parallel_texts()
        counts = [[len(active.model.encode(line).ids) for line in texts[code]] for code in (BASE, _LANGUAGE)]
        times = [other / base for base, other in zip(*counts, strict=True)]
        return min(times), max(times)

    return remember("cost.range", active.sha256, measure, 4, is_shared=True)


def _render_pair(shown: Sequence[ActiveTokenizer]) -> pd.DataFrame | None:
    """Two fields, the strips of both sentences, and a table of their token counts; returns it, None without texts."""
    texts = []
    for cell, field, name in zip(st.columns(2), (_FIRST, _SECOND), ("first", "second"), strict=True):
        field.adopt()
        typed = cell.text_input(
            t(f"fertility.pair.{name}"), key=field.key, max_chars=_MAX_LENGTH, persist_state="session", live=True
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
    """Tokens of both sentences under the tokenizers that both are cut with.

    Columns: reference, tokenizer (title), first, second, times; the last is missing where a sentence has no token, or
    an unknown one, which stands for any text.
    """
    ids, of_second = (
        {active.reference: one.ids for active, one in zip(cut.shown, cut.segmentations, strict=True)}
        for cut in (first, second)
    )
    rows = []
    for active in first.shown:
        if active.reference in of_second:
            each = ids[active.reference], of_second[active.reference]
            is_whole = all(one.size and active.model.unknown_id not in one.tolist() for one in each)
            times = each[1].size / each[0].size if is_whole else None
            rows.append((active.reference, active.title, each[0].size, each[1].size, times))
    return pd.DataFrame(rows, columns=["reference", "tokenizer", "first", "second", "times"]).astype({"times": float})
