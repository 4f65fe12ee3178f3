"""WordPiece's segmenter: longest match in the learned vocabulary, or in the visitor's own tokens."""

from collections.abc import Collection

import streamlit as st

from app.parts.choices import set_choice, url_choice
from app.parts.tables.learn.match_frames import match_frames
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.toy_words import render_words_to_segment
from app.parts.url_stepper import url_stepper
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.i18n import language, t
from engine.merge_settings import MergeSettings

# Words to segment by longest match, and a vocabulary for them.
EXAMPLES = {
    "unaffable": ("unaffable", "un una ##ffa ##ble"),
    "unlearnable": ("unhappiness is unlearnable", "un ##happiness is ##learn ##able"),
}
_MORE = url_text("tokens", "learn_bpe.more_tokens", "")


def forget_own_tokens() -> None:
    set_choice("from", "learned")
    _MORE.set("")


def _vocabulary(learned: Collection[str]) -> set[str]:
    """The learned vocabulary plus the visitor's tokens, or only the visitor's tokens."""
    origins = {name: t(f"learn_bpe.from.{name}") for name in ("learned", "own")}
    origin = url_choice("from", t("learn_bpe.from.label"), origins, "learned")
    label, help_text = t(f"learn_bpe.more.{origin}"), t("learn_bpe.more.help")
    written = live_field(_MORE, label, most=400, has_lines=False, help=help_text)
    return {*(learned if origin == "learned" else ()), *written.split()}


@fragment(waits=False)
def render_match(word: UrlValue[str], learned: Collection[str], settings: MergeSettings) -> None:
    """The strings that are looked up for each word; `learned` is the vocabulary of the merges."""
    st.header(t("learn_bpe.match.heading"))
    st.markdown(t("learn_bpe.match.text"))

    def use(name: str) -> None:
        typed, tokens = EXAMPLES[name]
        word.set(typed)
        _MORE.set(tokens)
        set_choice("from", "own")

    with st.container(horizontal=True, key="learn_bpe.examples"):
        for name in EXAMPLES:
            st.button(t(f"learn_bpe.example.{name}"), key=f"learn_bpe.example.{name}", on_click=use, args=(name,))
    words = render_words_to_segment(word)
    vocabulary = _vocabulary(learned)
    if words:
        frames = match_frames(words, vocabulary, settings, language())
        of = (tuple(words), tuple(sorted(vocabulary)), settings)
        url_stepper("at", frames, of, t("learn_bpe.match.heading"))
        st.caption(t("learn_bpe.match.textbook"))
