"""From bytes back to characters, and what happens to characters outside the vocabulary."""

from functools import cache

import streamlit as st

from app.parts.choices import example_choice, set_choice, url_choice, url_slider
from app.parts.data_table import download_csv, draw_table
from app.parts.tables.learn.tradeoff import ranked_characters
from app.parts.tables.learn.utf8 import decode_table, fallback_table, from_gpt2, parse_hex
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.corpora import builtin_corpus, own_text
from app.texts.i18n import t
from engine.merges.vocabulary import bytes_label

_MAX = 400
_HALF = "EC 95 88 EC 95"
_EXAMPLES = {
    "whole": "F0 9F 98 80",
    "half": _HALF,
    "stray": "95 88 41",
    "overlong": "C0 80",
    "surrogate": "ED A0 BD ED B8 80",
    "never": "41 FF FE",
    "letters": "Ġìķ",  # GPT-2's for bytes
}
_HEX = UrlValue("hex", "learn_bytes.hex", lambda word: word[:1000], lambda typed: typed or None, _HALF)
_FALLBACK = url_text("unknown", "learn_bytes.fallback", "뷁! 커피 ☕ 한 잔")


def _use(name: str) -> None:
    _HEX.set(_EXAMPLES[name])
    set_choice("read", "gpt2" if name == "letters" else "hex")


@fragment(waits=False)
def render_decoder() -> None:
    """A field for bytes and what they decode to; `hex` and `read` in the URL."""
    st.subheader(t("learn_bytes.decode"))
    st.markdown(t("learn_bytes.decode_text"))
    left, right = st.columns([3, 2])
    with right:
        ways = {name: t(f"learn_bytes.read.{name}") for name in ("hex", "gpt2")}
        way = url_choice("read", t("learn_bytes.read.label"), ways, "hex")
    with left:
        typed = live_field(_HEX, t("learn_bytes.hex"), most=1000, has_lines=False, help="")
    shown = next((name for name, example in _EXAMPLES.items() if typed == example), None)
    names = {name: t(f"learn_bytes.example.{name}") for name in _EXAMPLES}
    example_choice("learn_bytes.example", names, _use, shown)
    data = parse_hex(typed) if way == "hex" else from_gpt2(typed.strip())
    if data is None:
        st.warning(t(f"learn_bytes.not_{way}"), icon=":material/edit:")
        return
    st.code(bytes_label(data) or " ", language=None, wrap_lines=True)
    table = decode_table(data)
    n_lost = int((~table["role"].isin(("ascii", "first", "following"))).sum())
    st.caption(t("learn_bytes.decoded", count=len(data), lost=n_lost))
    table["role"] = [t(f"learn_bytes.role.{role}") for role in table["role"]]
    columns = {name: t(f"learn_bytes.column.{name}") for name in table.columns}
    shown = table.head(_MAX)
    draw_table(shown, columns, "learn_bytes.decoded", 330)
    download_csv("decoded", lambda: table, of=own_text(typed))


@cache
def _ranked() -> list[str]:
    return ranked_characters(builtin_corpus("ko").lines())


@fragment(waits=False)
def render_fallback() -> None:
    """A text under [UNK], byte fallback and bytes; `unknown` and `known` in the URL."""
    st.subheader(t("learn_bytes.fallback"))
    st.markdown(t("learn_bytes.fallback_text"))
    ranked = _ranked()
    left, right = st.columns(2)
    with left:
        typed = live_field(_FALLBACK, t("learn_bytes.text"), most=100, has_lines=False, help="")
    with right:
        most, about = len(ranked), t("learn_bytes.known_help")
        n = url_slider("known", t("learn_bytes.known"), 0, most, min(1000, most), help_text=about)
    text = typed.encode("utf-8", "ignore").decode()
    if not text:
        st.info(t("explore.empty"), icon=":material/edit:")
        return
    known = set(ranked[:n])
    table = fallback_table(text, known)
    n_unknown = sum(char not in known for char in text)
    st.markdown(
        t(
            "learn_bytes.fallback_now",
            count=len(text),
            unknown=n_unknown,
            tokens=int(table["n_tokens"][1]),
            bytes=int(table["n_tokens"][2]),
        )
    )
    table["way"] = [t(f"learn_bytes.way.{way}") for way in table["way"]]
    columns = {name: t(f"learn_bytes.column.{name}") for name in table.columns}
    st.dataframe(table, hide_index=True, column_config=columns, key="learn_bytes.fallbacks")
    download_csv("byte-fallback", lambda: table, of=own_text(text))
