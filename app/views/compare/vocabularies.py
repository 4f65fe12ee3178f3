"""Overlap, only-in lists, composition and lengths of two to four vocabularies."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.parts.data_table import Columns, download_csv, render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout
from app.parts.tables.composition import PAPER_SHARE, PAPER_SIZE
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.session.models import ActiveTokenizer
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.compare.figures import CIRCLES, overlap_figure
from app.views.compare.tables import VocabularyComparison, compare, joined, surfaces
from engine.unigram.model.levels import LEVELS

MAX_COMPARED = 4
_MAX_LISTED = 1000


@st.cache_resource(max_entries=48, show_spinner=False)
def _surfaces(sha256: str, _active: ActiveTokenizer) -> frozenset[bytes]:
    return surfaces(_active.model)


@st.cache_resource(max_entries=24, show_spinner=False)
def _compared(sha256: tuple[str, ...], _shown: Sequence[ActiveTokenizer]) -> VocabularyComparison:
    """Shared by all sessions and never changed."""
    return compare([_surfaces(active.sha256, active) for active in _shown])


def render_vocabularies(view: Layout) -> None:
    """Everything about the first MAX_COMPARED of the tokenizers."""
    shown = render_tokenizer_set(view, ("byte-bpe", "unigram"))
    if len(shown) > MAX_COMPARED:
        with view.sections:
            st.caption(t("compare.first", limit=MAX_COMPARED))
        shown = shown[:MAX_COMPARED]
    names = [f"{k}. {active.title}" for k, active in enumerate(shown, start=1)]
    found = _compared(tuple(active.sha256 for active in shown), shown)
    models = dict(zip(names, shown, strict=True))
    if len(shown) < 2:
        view.picture.info(t("compare.two"), icon=":material/join_inner:")
    else:
        _render_overlap(view, models, found)
    with view.sections:
        if len(shown) > 1:
            _render_only(models, found)
        _render_make_up(models, found)
        _render_lengths(models, found)


def _by_model(table: pd.DataFrame, models: Mapping[str, ActiveTokenizer]) -> pd.Series:
    """Fingerprints of the texts that the models of the rows were trained on."""
    return table["name"].map({name: active.fingerprint for name, active in models.items()})


def _render_overlap(view: Layout, models: Mapping[str, ActiveTokenizer], found: VocabularyComparison) -> None:
    names = list(models)
    table = found.overlap.copy()
    table.insert(1, "names", [joined(names, members) for members in table["members"]])
    title = t("compare.overlap_title")
    figure = overlap_figure(table, names, title, t("compare.column.count"), language())
    with view.picture:
        st.plotly_chart(figure, key="compare.overlap", config={"displaylogo": False}, alt=title)
    pairs = [
        t("compare.jaccard", first=plain(names[a]), second=plain(names[b]), value=value)
        for (a, b), value in found.jaccard.items()
    ]
    columns: Columns = {
        "names": t("compare.column.names"),
        "count": t("compare.column.count"),
        "share": st.column_config.NumberColumn(t("compare.column.share"), format="%.1f%%"),
        "examples": t("compare.column.examples"),
    }
    with view.sections:
        st.caption(" · ".join(pairs))
        has_circles = len(names) in CIRCLES
        st.caption(t("compare.overlap_text") + f" {t('compare.overlap_circles')}" * has_circles)
        render_data("overlap", table.assign(share=100 * table["share"]), columns, lambda: table, of=[*models.values()])


def _render_only(models: Mapping[str, ActiveTokenizer], found: VocabularyComparison) -> None:
    st.subheader(t("compare.only"), anchor=False)
    levels = {level: t(f"figure.level.{level}") for level in LEVELS}
    for place, (column, name) in enumerate(zip(st.columns(len(models)), models, strict=True)):
        with column:
            table = found.only[place]
            st.markdown(t("compare.only_in", name=plain(name), count=len(table)))
            table = table.assign(level=table["level"].map(levels))
            st.dataframe(
                table.head(_MAX_LISTED),
                hide_index=True,
                key=f"compare.only.{place}",
                column_order=["token", "level"],
                column_config={name: t(f"compare.column.{name}") for name in ("token", "level")},
            )
            download_csv(f"only-{place + 1}", partial(pd.DataFrame, table), of=[*models.values()])


def _render_make_up(models: Mapping[str, ActiveTokenizer], found: VocabularyComparison) -> None:
    st.header(t("compare.make_up"))
    st.markdown(t("compare.make_up_text", share=100 * PAPER_SHARE, size=PAPER_SIZE))
    rows = []
    for name, shares in zip(models, found.make_up, strict=True):
        rows += [{"name": name, "kind": t(f"compare.kind.{kind}"), "share": share} for kind, share in shares.items()]
    table = pd.DataFrame(rows)
    title = t("compare.make_up_title")
    axis = t("compare.column.share")
    figure = grouped_bars_figure(table, "kind", "name", "share", title, axis, language(), in_percent=True)
    st.plotly_chart(figure, key="compare.make_up", config={"displaylogo": False}, alt=title)
    render_data(
        "composition",
        table,
        {name: t(f"compare.column.{name}") for name in ("name", "kind", "share")},
        of=lambda: _by_model(table, models),
    )


def _render_lengths(models: Mapping[str, ActiveTokenizer], found: VocabularyComparison) -> None:
    st.header(t("compare.lengths"))
    parts = [lengths.assign(name=name) for name, lengths in zip(models, found.lengths, strict=True)]
    table = pd.concat(parts, ignore_index=True)
    last = int(table["length"].max())
    table["label"] = [f"{n}+" if n == last else str(n) for n in table["length"]]
    title = t("compare.lengths_title")
    figure = grouped_bars_figure(
        table,
        "label",
        "name",
        "share",
        title,
        t("compare.column.share"),
        language(),
        in_percent=True,
        xaxis={"title": t("compare.column.length"), "type": "category"},
    )
    st.plotly_chart(figure, key="compare.lengths", config={"displaylogo": False}, alt=title)
    st.caption(t("compare.lengths_note"))
    render_data(
        "lengths",
        table,
        {name: t(f"compare.column.{name}") for name in ("name", "length", "share")},
        of=lambda: _by_model(table, models),
    )
