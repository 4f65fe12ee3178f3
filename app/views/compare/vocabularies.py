"""Overlap, only-in lists, composition and lengths of two to four vocabularies."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.data_table import download_csv, draw_first, headings, render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.figures.base import FONT_SIZE, Plot, Trace, arrange, marked_up, nothing_to_show
from app.parts.figures.charts import bars, dots, lines, single
from app.parts.figures.styles import GREY, STYLES, Style
from app.parts.layout import Layout, open_lines, render_figure
from app.parts.tables.tokens import token_forms
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.compare.algorithms import render_algorithms
from engine.pictures.palette import BLUE
from engine.tokenizer import Tokenizer
from engine.unigram.model.levels import LEVELS

_N_EXAMPLES = 12
# Share of the two special forms in a vocabulary of 128,000 tokens (Thunder-Tok paper, appendix D, Figure 1).
_PAPER_SHARE, _PAPER_SIZE = 0.1349, 128_000


class Union(NamedTuple):
    """All tokens of some vocabularies.

    Attributes
    ----------
    forms : `token_forms`, sorted by their bytes.
    members : int64, the vocabularies that each is in: bit k for vocabulary k.
    n_sets : number of vocabularies.
    """

    forms: pd.DataFrame
    members: np.ndarray
    n_sets: int

    def of(self, place: int) -> pd.DataFrame:
        return self.forms[self.members >> place & 1 == 1]


class VocabularyComparison(NamedTuple):
    """The comparison of some vocabularies; each list has one entry per vocabulary."""

    overlap: pd.DataFrame  # of overlap_table
    jaccard: dict[tuple[int, int], float]  # by the positions of two
    only: list[pd.DataFrame]  # of only_in
    make_up: list[dict[str, float]]
    lengths: list[pd.DataFrame]  # of length_table


# Centres of the circles, and positions of the parts' numbers. The areas are not to scale.
CIRCLES = {2: ((-0.55, 0), (0.55, 0)), 3: ((-0.55, 0.35), (0.55, 0.35), (0, -0.6))}
_PARTS: dict[int, dict[tuple[int, ...], tuple[float, float]]] = {
    2: {(0,): (-1.05, 0), (1,): (1.05, 0), (0, 1): (0, 0)},
    3: {
        (0,): (-1.1, 0.6),
        (1,): (1.1, 0.6),
        (2,): (0, -1.2),
        (0, 1): (0, 0.75),
        (0, 2): (-0.62, -0.32),
        (1, 2): (0.62, -0.32),
        (0, 1, 2): (0, 0.05),
    },
}
_NAMES: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((-1.0, 1.15), (1.0, 1.15)),
    3: ((-1.15, 1.5), (1.15, 1.5), (0, -1.75)),
}
_RADIUS = 1.0


MAX_COMPARED = 4


def _surfaces(active: ActiveTokenizer) -> frozenset[bytes]:
    return remember("surfaces", active.sha256, lambda: surfaces(active.model), 48, is_shared=True)


def _compared(shown: Sequence[ActiveTokenizer]) -> VocabularyComparison:
    key = tuple(active.sha256 for active in shown)
    return remember("vocabularies", key, lambda: compare(list(map(_surfaces, shown))), 24, is_shared=True)


def render_vocabularies(view: Layout) -> None:
    """Everything about the first MAX_COMPARED of the tokenizers."""
    shown = render_tokenizer_set(view, ("byte-bpe", "unigram"))
    if len(shown) > MAX_COMPARED:
        with view.sections:
            st.caption(t("compare.first", limit=MAX_COMPARED))
        shown = shown[:MAX_COMPARED]
    names = [f"{k}. {active.title}" for k, active in enumerate(shown, start=1)]
    found = _compared(shown)
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
        if place := open_lines("compare", {"algorithms": t("compare.more.algorithms")}).get("algorithms"):
            with place:
                render_algorithms()


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
        render_figure(figure, "compare.overlap", title)
    pairs = [
        t("compare.jaccard", first=plain(names[a]), second=plain(names[b]), value=value)
        for (a, b), value in found.jaccard.items()
    ]
    columns = headings("compare.column", names="", count="", share="%.1f%%", examples="")
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
            columns = headings("compare.column", token="", level="")
            draw_first(table, columns, f"compare.only.{place}")
            download_csv(f"only-{place + 1}", partial(pd.DataFrame, table), of=[*models.values()])


def _render_make_up(models: Mapping[str, ActiveTokenizer], found: VocabularyComparison) -> None:
    st.subheader(t("compare.make_up"))
    st.markdown(t("compare.make_up_text", share=100 * _PAPER_SHARE, size=_PAPER_SIZE))
    rows = []
    for name, shares in zip(models, found.make_up, strict=True):
        rows += [{"name": name, "kind": t(f"compare.kind.{kind}"), "share": share} for kind, share in shares.items()]
    table = pd.DataFrame(rows)
    title = t("compare.make_up_title")
    axis = t("compare.column.share")
    figure = grouped_bars_figure(table, "kind", "name", "share", title, axis, language(), in_percent=True)
    render_figure(figure, "compare.make_up", title)
    render_data(
        "composition",
        table,
        headings("compare.column", name="", kind="", share=""),
        of=lambda: _by_model(table, models),
    )


def _render_lengths(models: Mapping[str, ActiveTokenizer], found: VocabularyComparison) -> None:
    st.subheader(t("compare.lengths"))
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
    render_figure(figure, "compare.lengths", title)
    st.caption(t("compare.lengths_note"))
    render_data(
        "lengths", table, headings("compare.column", name="", length="", share=""), of=lambda: _by_model(table, models)
    )


def overlap_figure(table: pd.DataFrame, names: Sequence[str], title: str, axis: str, language: str) -> Plot:
    if table.empty:
        return nothing_to_show(title, language)
    return _venn(table, names, title) if len(names) in CIRCLES else _upset(table, names, title, axis)


def _venn(table: pd.DataFrame, names: Sequence[str], title: str) -> Plot:
    n = len(names)
    circles = [
        {
            "type": "circle",
            "x0": x - _RADIUS,
            "x1": x + _RADIUS,
            "y0": y - _RADIUS,
            "y1": y + _RADIUS,
            "fillcolor": style.colour,
            "opacity": 0.28,
            "layer": "below",
            "line": {"color": style.colour, "width": 2.5},
        }
        for (x, y), style in zip(CIRCLES[n], STYLES, strict=False)
    ]
    counts: dict[Any, int] = dict(zip(table["members"], table["count"], strict=True))
    texts = [
        (_PARTS[n].values(), [f"{counts.get(members, 0):,}" for members in _PARTS[n]], FONT_SIZE + 5),
        (_NAMES[n], [f"<b>{marked_up(name)}</b>" for name in names], FONT_SIZE + 1),
    ]
    # Text in the template's colour, so that it follows the theme.
    traces: list[Trace] = [
        {
            "type": "scatter",
            "x": [x for x, _ in places],
            "y": [y for _, y in places],
            "mode": "text",
            "hoverinfo": "skip",
            "text": labels,
            "textfont": {"size": size},
        }
        for places, labels, size in texts
    ]
    xaxis = {"visible": False, "range": [-3, 3]}
    yaxis = {"visible": False, "range": [-2, 1.8], "scaleanchor": "x"}
    return arrange(traces, title, 430, shapes=circles, showlegend=False, xaxis=xaxis, yaxis=yaxis)


def _upset(table: pd.DataFrame, names: Sequence[str], title: str, axis: str) -> Plot:
    """Bars for the parts; below each bar, connected dots mark its vocabularies."""
    table = table.head(20)
    parts = table.assign(
        column=range(len(table)),
        label=[f"{count:,}" for count in table["count"]],
        names=[joined(names, members) for members in table["members"]],
    )
    traces = bars(
        single(parts),
        "column",
        "count",
        "%{customdata}: %{y:,}",
        marker={"color": BLUE},
        text="label",
        textposition="outside",
        # Upright they fit on a phone, where Plotly would make them as narrow as the bars.
        textangle=-90,
        constraintext="none",
        cliponaxis=False,
        customdata="names",
        showlegend=False,
    )
    lower: dict[str, Any] = {"yaxis": "y2", "showlegend": False}
    for column, members in enumerate(table["members"]):
        rows = pd.DataFrame({"column": column, "row": range(len(names) - 1, -1, -1)})
        members_only = single(rows.iloc[list(members)])
        traces += dots(single(rows, Style(GREY)), "column", "row", None, size=11, opacity=0.25, **lower)
        traces += lines(members_only, "column", "row", None, size=13, width=3, **lower)
    axes: dict[str, Any] = {
        "xaxis": {"visible": False},
        "yaxis": {"domain": [0.42, 1], "title": axis, "rangemode": "tozero"},
        "yaxis2": {
            "domain": [0, 0.36],
            "tickvals": list(range(len(names))),
            "automargin": True,
            "ticktext": [marked_up(name) for name in reversed(names)],
            "range": [-0.6, len(names) - 0.4],
            "showgrid": False,
            "zeroline": False,
        },
    }
    return arrange(traces, title, 330 + 40 * len(names), margin={"t": 90}, **axes)


def surfaces(tokenizer: Tokenizer) -> frozenset[bytes]:
    return frozenset(data for token_id in range(tokenizer.vocab_size) if (data := tokenizer.token_bytes(token_id)))


def unite(sets: Sequence[frozenset[bytes]]) -> Union:
    """Vocabularies as the sets of their `surfaces`, in one table."""
    members: dict[bytes, int] = {}
    for place, one in enumerate(sets):
        for token in one:
            members[token] = members.get(token, 0) | 1 << place
    tokens = sorted(members)
    return Union(token_forms(tokens), np.array([members[token] for token in tokens], dtype=np.int64), len(sets))


def compare(sets: Sequence[frozenset[bytes]]) -> VocabularyComparison:
    """Vocabularies as the sets of their `surfaces`, compared in every respect."""
    union, places = unite(sets), range(len(sets))
    return VocabularyComparison(
        overlap_table(union),
        {(a, b): jaccard(union, a, b) for a, b in combinations(places, 2)},
        [only_in(union, place) for place in places],
        [make_up(union.of(place)) for place in places],
        [length_table(union.of(place)) for place in places],
    )


def overlap_table(union: Union) -> pd.DataFrame:
    """One row per combination of vocabularies that share a token no other vocabulary has (the parts of a Venn
    diagram), the largest first.

    Columns: members (tuple of positions), count, share (of the union), examples.
    """
    rows = []
    for size in range(1, union.n_sets + 1):
        for members in combinations(range(union.n_sets), size):
            found = _exactly(union, members)
            if len(found):
                rows.append(
                    {
                        "members": members,
                        "count": len(found),
                        "share": len(found) / len(union.members),
                        "examples": "  ".join(found["token"].head(_N_EXAMPLES)),
                    }
                )
    table = pd.DataFrame(rows, columns=["members", "count", "share", "examples"])
    return table.sort_values("count", ascending=False, ignore_index=True, kind="stable")


def joined(names: Sequence[str], members: Sequence[int]) -> str:
    return " ∩ ".join(names[k] for k in members)


def _exactly(union: Union, members: Sequence[int]) -> pd.DataFrame:
    """The tokens that are in these vocabularies and in no other, the longest first."""
    found = union.forms[union.members == sum(1 << k for k in members)]
    return found.iloc[np.argsort(-found["n_bytes"].to_numpy(), kind="stable")]


def jaccard(union: Union, first: int, second: int) -> float:
    """Shared tokens over all tokens of the two; 1 for equal vocabularies."""
    in_first, in_second = union.members >> first & 1, union.members >> second & 1
    either = int((in_first | in_second).sum())
    return int((in_first & in_second).sum()) / either if either else 1.0


def only_in(union: Union, place: int) -> pd.DataFrame:
    """Tokens that only one vocabulary has, the longest first. Columns: token (as shown), level, n_chars, n_bytes."""
    return _exactly(union, [place])[["token", "level", "n_chars", "n_bytes"]].reset_index(drop=True)


def make_up(forms: pd.DataFrame) -> dict[str, float]:
    """Shares of the levels, and of the special forms of the paper's Plot 1: several words, word with . ? or !."""
    n = max(1, len(forms))
    is_phrase = forms["level"] == "phrase"
    counts = {level: int((forms["level"] == level).sum()) for level in LEVELS}
    counts |= {"multi_word": int(is_phrase.sum()), "punctuated": int((forms["punctuated"] & ~is_phrase).sum())}
    return {name: count / n for name, count in counts.items()}


def length_table(forms: pd.DataFrame, longest: int = 16) -> pd.DataFrame:
    """Share of the vocabulary by length in characters; the last row includes all longer ones. Columns: length, share.

    Parts of characters have length 0.
    """
    counts = np.bincount(np.minimum(forms["n_chars"], longest), minlength=longest + 1)
    return pd.DataFrame({"length": np.arange(longest + 1), "share": counts / max(1, counts.sum())})
