"""One tokenizer's ids read with another's vocabulary: why model and tokenizer must match."""

from collections.abc import Sequence

import streamlit as st

from app.parts.problem import reason
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.text_link import url_text
from app.session.models import ActiveTokenizer
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.texts.presets import PRESETS
from engine.errors import InputError

_MAX = 300
_TEXT = url_text("text", "compare.text", PRESETS["sweet_potato"])


def render_decode(shown: Sequence[ActiveTokenizer]) -> None:
    """Encode with the first, decode with every one."""
    st.markdown(t("compare.decode_text"))
    _TEXT.adopt()
    typed = st.text_input(t("explore.text"), key=_TEXT.key, max_chars=_MAX, persist_state="session") or ""
    _TEXT.publish(typed)
    text = joined_surrogates(typed)
    if not text:
        st.info(t("explore.empty"), icon=":material/edit:")
        return
    try:
        ids = shown[0].model.encode(text).ids
    except InputError as error:  # an imported vocabulary may lack a character and have no unknown token
        st.error(plain(reason(error)), icon=":material/error:")
        return
    st.markdown(t("compare.encoded", name=plain(shown[0].title), count=len(ids)))
    st.code(" ".join(map(str, ids)), language=None, wrap_lines=True)
    for number, active in enumerate(shown, start=1):
        size = active.model.vocab_size
        known = [token_id for token_id in ids if token_id < size]
        st.markdown(f"**{number}. {plain(active.title)}**")
        st.code(visible_space(active.model.decode(known)) or " ", language=None, wrap_lines=True)
        if len(known) < len(ids):
            st.caption(t("compare.missing", count=len(ids) - len(known), size=size))
