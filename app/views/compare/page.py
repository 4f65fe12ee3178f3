"""Compare: vocabularies side by side, what is wrong in each, how predictable their tokens are, the paper's ablation."""

from collections.abc import Sequence

import streamlit as st

from app.parts.layout import Layout, heading, layout
from app.parts.problem import reason
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.session.models import ActiveTokenizer
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.texts.presets import PRESETS
from app.views.compare.ablation import render_ablation
from app.views.compare.audit import render_audit
from app.views.compare.prediction import render_prediction
from app.views.compare.vocabularies import render_vocabularies
from engine.errors import InputError

_MAX = 300
_TEXT = url_text("text", "compare.text", PRESETS["sweet_potato"])


def render_decode(view: Layout) -> None:
    """Encode with the first, decode with every one."""
    with view.scrubber:
        _TEXT.adopt()
        label = t("explore.text")
        typed = st.text_input(
            label, key=_TEXT.key, max_chars=_MAX, persist_state="session", label_visibility="collapsed"
        )
        _TEXT.publish(typed or "")
    shown = render_tokenizer_set(view)
    with view.picture:
        _render_decoded(joined_surrogates(typed or ""), shown)
    with view.sections:
        st.caption(t("compare.decode_text"))


def _render_decoded(text: str, shown: Sequence[ActiveTokenizer]) -> None:
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


_VIEWS = {
    "vocabularies": render_vocabularies,
    "audit": render_audit,
    "prediction": render_prediction,
    "ablation": render_ablation,
    "decode": render_decode,
}

_VIEWS[heading("compare", tuple(_VIEWS))](layout())
