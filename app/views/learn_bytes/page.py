"""Characters and bytes: characters as bytes in three encodings, and bytes decoded to characters."""

import streamlit as st

from app.components.boards import utf8_board
from app.parts.choices import example_choice
from app.parts.data_table import draw_table, render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.hidden_answers import are_answers_asked_for, render_exercises
from app.parts.layout import heading, layout, live_layout, more, render_figure
from app.parts.tables.learn.utf8 import board, character_table, gpt2_letters, gpt2_table, size_table
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.session.page_run import fragment
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.corpora import own_text
from app.texts.i18n import language, t
from app.views.learn_bytes.decoder import render_decoder, render_fallback

_PRESETS = {
    "hangul": "안녕!",
    "cup": "☕",
    "cup_emoji": "☕\ufe0f",
    "face": "😀",
    "family": "👨\u200d👩\u200d👧",
    "family_four": "👨\u200d👩\u200d👧\u200d👦",
    "flag": "🇰🇷",
    "nfd": "한",
    "accent": "e\u0301 é",
    "slides": "AΩ語\U00010384",
}
_TEXT = url_text("text", "learn_bytes.text", _PRESETS["hangul"])
_MAX, _MAX_BOXES = 200, 24
# The parts of the page that run on their own: what follows the keys, and what follows a pause.
_LIVE, _EXAMPLES, _SECTIONS = "learn_bytes.live", "learn_bytes.examples_of_text", "learn_bytes.sections"
_ENCODINGS = ("utf8", "utf16", "utf32")


def _use(name: str) -> None:
    _TEXT.set(_PRESETS[name])
    st.rerun([_LIVE, _EXAMPLES, _SECTIONS])


def _text() -> str:
    return joined_surrogates(_TEXT.value)


@fragment(key=_LIVE, waits=False)
def _render_live(is_shown: bool) -> None:
    """The text and its boxes, which follow the keys."""
    topic, picture = live_layout()
    with topic:
        live_field(_TEXT, t("learn_bytes.text"), then=(_EXAMPLES, _SECTIONS), most=2000)
    with picture:
        if not (text := _text()[:_MAX]):
            st.info(t("explore.empty"), icon=":material/edit:")
        elif is_shown:
            _render_boxes(text)


@fragment(key=_EXAMPLES)
def _render_examples() -> None:
    """Example texts, and what the current one shows."""
    _TEXT.publish(_TEXT.adopt())
    shown = next((name for name, example in _PRESETS.items() if _text() == example), None)
    example_choice("learn_bytes.preset", {name: t(f"learn_bytes.preset.{name}") for name in _PRESETS}, _use, shown)
    if shown:
        st.info(t(f"learn_bytes.about.{shown}"), icon=":material/lightbulb:")
    if len(_text()) > _MAX:
        st.caption(t("learn_bytes.cut", limit=_MAX))


@fragment(key=_SECTIONS)
def _render_sections() -> None:
    if text := _text()[:_MAX]:
        _render_characters(text)
        _render_sizes(text)
        _render_letters(text)


def _render_boxes(text: str) -> None:
    """The counts in large type, and the boxes they count."""
    graphemes = board(text)
    n_points = sum(len(grapheme["points"]) for grapheme in graphemes)
    counts = {"graphemes": len(graphemes), "code_points": n_points, "count": len(text.encode())}
    st.markdown(f"### {t('learn_bytes.now', **counts)}")
    utf8_board("learn_bytes.board", graphemes[:_MAX_BOXES], lang=TEXT_LANGUAGE)
    if len(graphemes) > _MAX_BOXES:
        st.caption(t("learn_bytes.boxes_cut", limit=_MAX_BOXES))
    st.caption(t("learn_bytes.boxes"))


def _render_characters(text: str) -> None:
    st.caption(t("learn_bytes.characters_text"))
    table = character_table(text)
    render_data("bytes", table, {name: t(f"learn_bytes.column.{name}") for name in table.columns}, of=own_text(text))


def _render_sizes(text: str) -> None:
    st.subheader(t("learn_bytes.sizes"))
    st.markdown(t("learn_bytes.sizes_text"))
    table = size_table(text)
    table["form"] = [t(f"learn_bytes.form.{form or 'own'}") for form in table["form"]]
    columns = {name: t(f"learn_bytes.column.{name}") for name in table.columns}
    left, right = st.columns(2, vertical_alignment="center")
    long = table.melt("form", _ENCODINGS, "encoding", "bytes")
    long["encoding"] = long["encoding"].map(columns)
    title = t("learn_bytes.sizes_title")
    figure = grouped_bars_figure(long, "encoding", "form", "bytes", title, t("learn_bytes.column.n_bytes"), language())
    render_figure(figure, "learn_bytes.figure", title, left)
    with right:
        st.dataframe(table, hide_index=True, column_config=columns, key="learn_bytes.sizes")
        st.markdown(t("learn_bytes.side_by_side"))
    hexes = character_table(text)[["character", "code_point", "utf8", "utf16", "utf32"]].head(50)
    columns = {name: t(f"learn_bytes.column.{name}") for name in hexes.columns}
    draw_table(hexes, columns, "learn_bytes.encodings", 330)
    columns = {name: t(f"learn_bytes.column.{name}") for name in table.columns}
    render_data("encodings", table, columns, of=own_text(text))


def _render_letters(text: str) -> None:
    st.subheader(t("learn_bytes.letters"))
    st.markdown(t("learn_bytes.gpt2"))
    letters = gpt2_letters()
    data = text.encode()
    st.code("".join(letters[byte] for byte in data), language=None, wrap_lines=True)
    with st.expander(t("learn_bytes.gpt2_table"), icon=":material/grid_on:"):
        st.markdown(t("learn_bytes.gpt2_table_text"))
        used = {letters[byte] for byte in data}
        table = gpt2_table()
        mark = "font-weight: 700; color: white; background-color: #B84E00"
        st.dataframe(table.style.map(lambda letter: mark if letter in used else ""), height=600)


heading("learn_bytes")
view = layout(is_live=True)
render_exercises("learn_bytes")
with view.scrubber:
    _render_examples()
is_shown = are_answers_asked_for(view)
with view.picture:
    _render_live(is_shown)
with view.sections:
    if is_shown:
        _render_sections()
    if place := more("learn_bytes", "hex", "read", "unknown", "known"):
        with place:
            render_fallback()
            render_decoder()
