"""Explore: a text as tokens, with the pre-tokens and bytes below them, counts, and what the model knows of each."""

from typing import Any

import pandas as pd
import streamlit as st

from app import state
from app.components.strip import STRIP_LABELS, Place, StripRow, token_strip
from app.i18n import language, t
from app.models import ActiveModel, active_model
from app.presets import PRESETS
from app.tables.occurrences import occurrence_table
from app.tables.segmentation import (
    Segmentation,
    Stretch,
    count,
    joined_surrogates,
    segment,
    stretch_of,
    stretches,
    surroundings,
)
from app.tables.strips import byte_row, pretoken_row, strip_chars, token_row
from app.text import plain
from engine.corpus.normalize import normalization_changes, normalize
from engine.errors import InputError

# Longer texts are for the Train page. A page of the strip is what a browser draws at once without a pause.
_MAX_TEXT, _PAGE_SIZE, _PAGE_SIZE_WITH_BYTES = 200_000, 1500, 500
_MAX_IN_LATTICE = 120
_TEXT, _PICKED, _SHOWN, _PART = "explore.text", "explore.picked", "explore.shown", "part"

_EXAMPLES = {**PRESETS, "rare": "쀍 😀 갂"}
_DEFAULT = "sweet_potato"


def _use_example(name: str) -> None:
    st.session_state[_TEXT] = _EXAMPLES[name]


def _beginning(text: str, enough: int = 6) -> str:
    """The first words of an example, for its button."""
    stop = text.find(" ", enough)
    return text if stop < 0 else text[:stop] + "…"


def _text() -> str:
    """The text of the session, with the field and the examples to change it."""
    state.adopt("text", _TEXT, _decode_text)
    st.session_state.setdefault(_TEXT, _EXAMPLES[_DEFAULT])
    typed = st.text_area(t("explore.text"), key=_TEXT, height=92, persist_state="session") or ""
    with st.container(horizontal=True, gap="xsmall", key="explore.examples"):
        for name, example in _EXAMPLES.items():
            st.button(plain(_beginning(example)), key=f"example.{name}", on_click=_use_example, args=(name,))
    for name, example in _EXAMPLES.items():
        if typed == example:
            st.caption(t(f"explore.example.{name}"))
    text = joined_surrogates(typed)
    if len(text) < len(typed):
        st.warning(t("explore.surrogates"), icon=":material/warning:")
    if len(text) > _MAX_TEXT:
        st.info(t("explore.cut", length=len(text), limit=_MAX_TEXT), icon=":material/content_cut:")
        text = text[:_MAX_TEXT]
    link = state.pack_text(text)
    if link is None or state.unpack_text(link) != text:  # what compresses well may still be too long to unpack
        link = None
        st.caption(t("explore.not_in_link"))
    state.publish("text", None if text == _EXAMPLES[_DEFAULT] else link)
    return text


def _decode_text(value: str) -> str | None:
    text = state.unpack_text(value)
    # What a damaged link decodes to is no text of anybody's.
    return None if text is None else joined_surrogates(text).replace("\ufffd", "")


def _render_normalization(active: ActiveModel, text: str) -> None:
    form = active.model.settings.normalization
    if form == "none":
        return
    n_lines, changes = normalization_changes(text.split("\n"), form)
    name = t(f"train.normalization.{form}")
    if not n_lines:
        st.caption(t("explore.normalization.unchanged", form=name))
        return
    with st.expander(t("explore.normalization.changed", form=name), icon=":material/sync_alt:"):
        rows = [
            (change.before, change.after, _codes(change.before), _codes(change.after), change.times)
            for change in changes
        ]
        names = ("before", "after", "before_codes", "after_codes", "count")
        st.dataframe(pd.DataFrame(rows, columns=[t(f"train.normalization.{name}") for name in names]), hide_index=True)


def _codes(text: str) -> str:
    return " ".join(f"{ord(char):04X}" for char in text)


def _render_counts(segmentation: Segmentation) -> None:
    counts = count(segmentation)
    with st.container(horizontal=True, gap="medium", key="explore.counts"):
        for name, value in counts._asdict().items():
            shown = "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
            st.metric(t(f"explore.count.{name}"), shown, help=t(f"explore.count.{name}_help"), width="content")


def _layers() -> tuple[bool, bool]:
    """Whether the rows of the pre-tokens and of the bytes are there."""
    with st.container(horizontal=True, gap="medium", key="explore.layers"):
        return (
            st.toggle(t("explore.layer.pretokens"), key="pretokens", bind="query-params", persist_state="session"),
            st.toggle(t("explore.layer.bytes"), key="bytes", bind="query-params", persist_state="session"),
        )


def _part(parts: list[Stretch], picked: int | None) -> Stretch:
    """The part of the text that is drawn."""
    if len(parts) == 1:
        st.session_state.pop(_PART, None)
        return parts[0]
    if st.session_state.get(_PART, 1) > len(parts):
        st.session_state[_PART] = stretch_of(parts, picked or 0) + 1
    number = st.pagination(len(parts), key=_PART, bind="query-params")
    part = parts[number - 1]
    st.caption(t("explore.part", begin=part.begin + 1, end=part.end, total=parts[-1].end))
    return part


def _rows(active: ActiveModel, segmentation: Segmentation, part: Stretch, layers: tuple[bool, bool]) -> list[StripRow]:
    """Tokenizers first, in the order of `segmentations`; the layers below them."""
    note = t("explore.strip.note", tokens=segmentation.ids.size)
    rows = [token_row(active.model, segmentation, part, active.model.name, note)]
    if layers[0]:
        rows.append(pretoken_row(active.model.pretokenizer, segmentation.text, part, t("explore.layer.pretokens"), ""))
    if layers[1]:
        rows.append(byte_row(segmentation.text, part, t("explore.layer.bytes"), ""))
    return rows


def _render_strip(active: ActiveModel, segmentation: Segmentation) -> Stretch:
    """The strips; returns the part of the text that they show."""
    layers = _layers()
    picked = st.session_state.get(_PICKED)
    part = _part(stretches(segmentation, _PAGE_SIZE_WITH_BYTES if layers[1] else _PAGE_SIZE), picked)
    selected = None if picked is None or not part.first <= picked < part.last else Place(0, picked - part.first)

    def pick(place: Place) -> None:
        if place.row == 0:
            st.session_state[_PICKED] = part.first + place.token

    token_strip(
        "explore.strip",
        _rows(active, segmentation, part, layers),
        {name: t(f"explore.strip.{name}") for name in STRIP_LABELS},
        pick,
        chars=strip_chars(segmentation.text, part),
        selected=selected,
        ui_lang=language(),
    )
    return part


def _render_picked(active: ActiveModel, segmentation: Segmentation) -> None:
    picked = st.session_state.get(_PICKED)
    if picked is None:
        st.caption(t("explore.token.none"))
        return
    token = occurrence_table(active.model, segmentation, picked, picked + 1).iloc[0]
    times = int((segmentation.ids == token["id"]).sum())
    with st.container(border=True, key="explore.token"):
        st.subheader(t("explore.token.heading", token=plain(token["token"])), anchor=False)
        kind = t(f"explore.level.{token['level']}") if token["level"] else t("explore.level.special")
        st.markdown(
            t(
                "explore.token.summary",
                kind=kind,
                number=token["number"],
                total=segmentation.ids.size,
                times=times,
                data=token["bytes"],
                code_points=plain(token["code_points"]),
            )
        )
        with st.container(horizontal=True, gap="medium"):
            st.metric(t("explore.column.id"), f"{token['id']}", width="content")
            for name, form in (("log2_prob", ".2f"), ("p", ".3g"), ("be", ".3f")):
                value = "–" if pd.isna(token[name]) else f"{token[name]:{form}}"
                st.metric(t(f"explore.column.{name}"), value, help=t(f"explore.column.{name}_help"), width="content")
        # A link cannot carry a value to the session, so the sentence waits there for whoever follows it.
        begin, end = int(segmentation.begin[picked]), int(segmentation.end[picked])
        st.session_state["lattice.text"] = surroundings(segmentation.text, begin, end, _MAX_IN_LATTICE)
        st.page_link("views/lattice.py", label=t("explore.token.lattice"), icon=":material/account_tree:")


def _columns() -> dict[str, Any]:
    column = st.column_config
    formats = {"log2_prob": "%.2f", "p": "%.3g", "be": "%.3f"}
    return {
        "number": column.NumberColumn(t("explore.column.number"), width="small"),
        "token": column.TextColumn(t("explore.column.token")),
        "id": column.NumberColumn(t("explore.column.id"), format="%d"),
        "bytes": column.TextColumn(t("explore.column.bytes")),
        "code_points": column.TextColumn(t("explore.column.code_points")),
        **{
            name: column.NumberColumn(t(f"explore.column.{name}"), help=t(f"explore.column.{name}_help"), format=form)
            for name, form in formats.items()
        },
        "level": column.TextColumn(t("explore.column.level")),
    }


def _render_table(active: ActiveModel, segmentation: Segmentation, part: Stretch) -> None:
    st.header(t("explore.table.heading"))
    table = occurrence_table(active.model, segmentation, part.first, part.last)
    levels = {name: t(f"explore.level.{name}") for name in ("byte", "character", "word", "phrase")}
    table["level"] = table["level"].map({**levels, "": t("explore.level.special")})
    st.dataframe(
        table, hide_index=True, height=min(38 + 35 * max(1, len(table)), 420), column_config=_columns(),
        key="explore.table",
    )  # fmt: skip
    st.download_button(
        t("explore.table.download"),
        lambda: occurrence_table(active.model, segmentation).to_csv(index=False).encode("utf-8-sig"),
        file_name="tokens.csv",
        mime="text/csv",
        key="explore.download",
        icon=":material/download:",
        on_click="ignore",
    )


def _keep_picked(active: ActiveModel, segmentation: Segmentation) -> None:
    """The token that was clicked belongs to one text and one model; the URL names it by its number, from 1."""
    shown = (active.sha256, segmentation.text)
    if st.session_state.get(_SHOWN, shown) != shown:
        st.session_state.pop(_PICKED, None)
        st.session_state.pop(_PART, None)
    st.session_state[_SHOWN] = shown
    state.adopt("token", _PICKED, lambda value: int(value) - 1 if value.isdecimal() and len(value) < 8 else None)
    picked = st.session_state.get(_PICKED)
    if picked is not None and not 0 <= picked < segmentation.ids.size:
        st.session_state.pop(_PICKED)
    elif picked is not None:
        state.publish("token", str(picked + 1))
        return
    state.publish("token", None)


active = active_model()
st.title(t("explore.title"))
st.markdown(t("explore.intro"))
text = _text()
if not text:
    st.info(t("explore.empty"), icon=":material/edit:")
    st.stop()
try:
    segmentation = segment(active.model, normalize(text, active.model.settings.normalization))
except InputError as error:
    st.error(plain(str(error)), icon=":material/error:")
    st.stop()
_render_normalization(active, text)
_keep_picked(active, segmentation)
_render_counts(segmentation)
part = _render_strip(active, segmentation)
_render_picked(active, segmentation)
_render_table(active, segmentation, part)
