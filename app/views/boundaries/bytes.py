"""Byte patches: single bytes, fixed sizes, or cut where the next byte is hard to predict; and the cost of attention."""

from functools import cache

import pandas as pd
import streamlit as st

from app.components.data import StripRow
from app.components.pictures import token_strip
from app.parts.choices import url_choice, url_field, url_slider
from app.parts.layout import Layout
from app.parts.tables.segmentation import TextPart, joined_surrogates
from app.parts.tables.strips import byte_row, patch_row
from app.parts.tables.units import per_nat
from app.parts.texts.text_link import url_text
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.corpora import ALL, builtin_corpus
from app.texts.i18n import t
from app.texts.presets import PRESETS
from engine.boundaries.patches import ByteModel, attention_cost, entropy_patches, fixed_patches

_MAX = 80
_TEXT = url_text("text", "boundaries.bytes", PRESETS["coffee"])


@cache
def _model() -> ByteModel:
    return ByteModel(builtin_corpus(ALL).lines(), 5)


def render_bytes(view: Layout) -> None:
    """Strips of bytes and patches under a text, their counts, and the cost."""
    with view.topic:
        text = joined_surrogates(url_field(_TEXT, t("explore.text"), 1000, is_alone=True))[:_MAX]
    with view.scrubber:
        size, relative, level = _choose_patches()
    if not text:
        with view.picture:
            st.info(t("explore.empty"), icon=":material/edit:")
        return
    data = text.encode()
    n = len(data)
    with view.picture:
        with st.spinner(t("boundaries.counting_bytes")):
            entropies = _model().entropies(text)
        by_entropy = entropy_patches(entropies, level / per_nat("bit"), relative)
        note = t("boundaries.patch.count", count=n)
        rows = [
            byte_row(text, TextPart(0, 0, 0, len(text)), t("boundaries.patch.bytes"), note),
            _patches(text, fixed_patches(n, size), t("boundaries.patch.fixed", size=size)),
            _patches(text, by_entropy, t("boundaries.patch.entropy")),
        ]
        token_strip("boundaries.patches", rows, chars=list(text), lang=TEXT_LANGUAGE)
    with view.sections:
        st.markdown(t("boundaries.bytes_text"))
        _render_cost(rows, n, size)


def _choose_patches() -> tuple[int, bool, float]:
    """Size of the fixed patches; whether the threshold of the others is relative, and its value in bits."""
    left, middle, right = st.columns(3)
    with left:
        size = url_slider("patch", t("boundaries.patch_size"), 1, 16, 4)
    with middle:
        kinds = {kind: t(f"boundaries.threshold.{kind}") for kind in ("global", "relative")}
        relative = url_choice("threshold", t("boundaries.threshold.label"), kinds, "global") == "relative"
    with right:
        level = url_slider("bits", t("boundaries.threshold.value"), 0.0, 8.0, 2.0, 0.1)
    return size, relative, level


def _render_cost(rows: list[StripRow], n: int, size: int) -> None:
    """Number and length of the patches of each row, and what attention costs with patches of `size` of `n` bytes."""
    counts = [n, *(len(row["tokens"]) for row in rows[1:])]
    table = pd.DataFrame(
        {"name": [row["name"] for row in rows], "patches": counts, "bytes_per_patch": [n / count for count in counts]}
    )
    columns = {name: t(f"boundaries.column.{name}") for name in table.columns}
    st.dataframe(table.style.format(precision=2, subset=["bytes_per_patch"]), hide_index=True, column_config=columns)
    st.latex(rf"(N/P)^2 + N \cdot P = ({n}/{size})^2 + {n} \cdot {size} = {attention_cost(n, size):,.0f}")
    st.caption(t("boundaries.cost_note", full=n * n))


def _patches(text: str, ends: list[int], name: str) -> StripRow:
    return patch_row(text, ends, name, t("boundaries.patch.count", count=len(ends)))
