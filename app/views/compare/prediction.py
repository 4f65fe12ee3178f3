"""Which tokenizer's tokens are easier to predict: an n-gram language model over each, on held-out lines."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.data_table import download_csv, in_bold, say_bold
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout
from app.parts.tokenizers.active_model import active_tokenizer
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.session.kept import kept
from app.session.models import ActiveTokenizer
from app.session.titles import text_title
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.compare.prediction_tables import LineSplit, Prediction, predicted, prediction_table, split_lines

_MAX_KEPT = 24


def render_prediction(view: Layout) -> None:
    """Bits per character under the model over each tokenizer's tokens: tokens, and bits per token."""
    shown = render_tokenizer_set(view, ("byte-bpe", "unigram"))
    with view.picture:
        active = active_tokenizer()
        if active.lacks_text:
            st.caption(t("own_text.needed"))
            return
        _render_predicted(view, shown, active.text)


def _render_predicted(view: Layout, shown: Sequence[ActiveTokenizer], source: Text) -> None:
    split = kept("prediction.lines", source.digest, lambda: split_lines(source.sentences()))
    if not split.held_back:
        st.info(t("compare.prediction_short"), icon=":material/format_list_numbered:")
        return
    found = [_predicted(one, source, split) for one in shown]
    names = [f"{k}. {active.title}" for k, active in enumerate(shown, start=1)]
    lossy = [plain(name) for name, one in zip(names, found, strict=True) if one is None]
    if lossy:
        st.caption(t("compare.prediction_lossy", names=", ".join(lossy)))
    readable = {name: one for name, one in zip(names, found, strict=True) if one is not None}
    if readable:
        table = prediction_table(readable, split.held_back)
        what, title = t("compare.column.bits_per_character"), t("compare.prediction_title")
        bars = table.assign(kind=what)
        figure = grouped_bars_figure(bars, "name", "kind", "bits_per_character", title, what, language())
        st.plotly_chart(figure, key="compare.prediction", config={"displaylogo": False}, alt=title)
        with view.sections:
            _render_bits(table, split, source)


def _predicted(active: ActiveTokenizer, source: Text, split: LineSplit) -> Prediction | None:
    waiting = t("compare.prediction_waiting", name=plain(active.title))
    return kept(
        "prediction", (active.sha256, source.digest), lambda: predicted(active.model, split), _MAX_KEPT, waiting
    )


def _render_bits(table: pd.DataFrame, split: LineSplit, source: Text) -> None:
    text = plain(text_title(source.id, source))
    st.caption(t("compare.prediction_text"))
    st.caption(t("compare.prediction_note", text=text, lines=len(split.held_back), training=len(split.training)))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "name": t("compare.column.name"),
        "bits_per_character": number(t("compare.column.bits_per_character"), format="%.3f"),
        "low": number(t("compare.column.low"), format="%.3f"),
        "high": number(t("compare.column.high"), format="%.3f"),
        "change": number(t("compare.column.change"), format="%+.1f%%"),
        "change_low": number(t("compare.column.low"), format="%+.1f%%"),
        "change_high": number(t("compare.column.high"), format="%+.1f%%"),
        "tokens": t("compare.column.tokens"),
        "bits_per_token": number(t("compare.column.bits_per_token"), format="%.2f"),
    }
    is_best = table[["best"]].set_axis(["bits_per_character"], axis=1)
    st.dataframe(
        in_bold(table, is_best),
        hide_index=True,
        column_order=list(columns),
        column_config=columns,
        key="compare.predicted",
        placeholder="–",
    )
    say_bold(is_best)
    download_csv("prediction", lambda: table, of=source, bold=is_best)
