"""Byte-level: what characters are in bytes, in three encodings, and what bytes are in characters."""

import streamlit as st

from app import state
from app.components.data_table import render_data
from app.i18n import t
from app.tables.segmentation import joined_surrogates
from app.tables.utf8 import character_table, gpt2_letters, parse_hex, size_table
from app.text import plain
from engine.merges.vocabulary import bytes_label

_PRESETS = {
    "hangul": "안녕!",
    "cup": "☕",
    "face": "😀",
    "family": "👨\u200d👩\u200d👧",
    "flag": "🇰🇷",
    "nfd": "한",
    "accent": "e\u0301 é",
    "chinese": "語",
}
_TEXT, _HEX, _MAX = "learn_bytes.text", "learn_bytes.hex", 200


def _use(text: str) -> None:
    st.session_state[_TEXT] = text


def _text() -> str:
    state.adopt("text", _TEXT, state.unpack_text)
    st.session_state.setdefault(_TEXT, _PRESETS["hangul"])
    typed = st.text_input(t("learn_bytes.text"), key=_TEXT, max_chars=2000, persist_state="session") or ""
    with st.container(horizontal=True, gap="xsmall", key="learn_bytes.presets"):
        for name, example in _PRESETS.items():
            st.button(t(f"learn_bytes.preset.{name}"), key=f"learn_bytes.{name}", on_click=_use, args=(example,))
    text = joined_surrogates(typed)
    for name, example in _PRESETS.items():
        if text == example:
            st.caption(t(f"learn_bytes.about.{name}"))
    state.publish("text", None if text == _PRESETS["hangul"] else state.pack_text(text))
    if len(text) > _MAX:
        st.caption(t("learn_bytes.cut", limit=_MAX))
    return text[:_MAX]


def _render_sizes(text: str) -> None:
    st.header(t("learn_bytes.sizes"))
    st.markdown(t("learn_bytes.sizes_text"))
    table = size_table(text)
    table["form"] = [t(f"learn_bytes.form.{form or 'own'}") for form in table["form"]]
    columns = {name: t(f"learn_bytes.column.{name}") for name in table.columns}
    st.dataframe(table, hide_index=True, column_config=columns, key="learn_bytes.sizes")


def _render_characters(text: str) -> None:
    st.header(t("learn_bytes.characters"))
    st.markdown(t("learn_bytes.characters_text"))
    table = character_table(text)
    columns = {name: t(f"learn_bytes.column.{name}") for name in table.columns}
    st.dataframe(
        table, hide_index=True, column_config=columns, height=min(38 + 35 * max(1, len(table)), 420),
        key="learn_bytes.characters",
    )  # fmt: skip
    render_data("bytes", table, columns)
    letters = gpt2_letters()
    st.markdown(t("learn_bytes.gpt2"))
    st.code("".join(letters[byte] for byte in text.encode()), language=None, wrap_lines=True)


def _render_decoder() -> None:
    st.header(t("learn_bytes.decode"))
    st.markdown(t("learn_bytes.decode_text"))
    state.adopt("hex", _HEX, lambda word: word[:1000])
    st.session_state.setdefault(_HEX, "EC 95 88 EC 95")
    typed = st.text_input(t("learn_bytes.hex"), key=_HEX, max_chars=1000, persist_state="session") or ""
    state.publish("hex", None if typed == "EC 95 88 EC 95" else typed or None)
    data = parse_hex(typed)
    if data is None:
        st.warning(t("learn_bytes.not_hex"), icon=":material/edit:")
        return
    st.code(bytes_label(data) or " ", language=None, wrap_lines=True)
    st.caption(t("learn_bytes.decoded", count=len(data)))


st.title(t("learn_bytes.title"))
st.markdown(t("learn_bytes.intro"))
text = _text()
if text:
    data = text.encode()
    st.markdown(t("learn_bytes.now", text=plain(text[:40]), graphemes=int(size_table(text)["graphemes"].iloc[0]),
                  code_points=len(text), count=len(data)))  # fmt: skip
    _render_sizes(text)
    _render_characters(text)
else:
    st.info(t("explore.empty"), icon=":material/edit:")
_render_decoder()
