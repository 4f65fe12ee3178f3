"""The active model on the Train page: its figures, its best tokens, and its file."""

import pandas as pd
import streamlit as st

from app import state
from app.i18n import t
from app.models import ActiveModel, activate, active_model, model_file, store_file
from app.text import plain, visible_space
from engine.errors import ModelFileError

_N_TOKENS = 200
_UPLOAD, _UPLOAD_SEEN = "train.model_file", "train.model_file_seen"


def render_model_panel() -> None:
    """What was trained, and the model file in and out."""
    active = active_model()
    with st.container(border=True, key="model_panel"):
        st.markdown(f"**{plain(active.name)}**")
        _render_figures(active)
        st.caption(f"SHA-256: {active.sha256}")
        path = model_file(active.reference, active.source)
        if path is not None:
            st.download_button(
                t("train.file.download"),
                path.read_bytes,
                file_name=f"{active.model.settings.algorithm}-{active.model.vocab_size}.tok",
                mime="application/octet-stream",
                key="train.download",
                help=t("train.file.download_help"),
                icon=":material/download:",
                on_click="ignore",
            )
    _render_tokens(active)
    with st.expander(t("train.file.load"), icon=":material/upload_file:"):
        _render_load()


def _render_figures(active: ActiveModel) -> None:
    last = active.model.rounds[-1]
    with st.container(horizontal=True, gap="medium"):
        st.metric(t("train.result.size"), f"{active.model.vocab_size:,}", width="content")
        st.metric(t("train.result.rounds"), f"{last.number}", width="content")
        if active.model.corpus_words:
            fertility = last.n_tokens / active.model.corpus_words
            help_text = t("train.result.fertility_help")
            st.metric(t("train.result.fertility"), f"{fertility:.3f}", help=help_text, width="content")


@st.cache_data(max_entries=50, show_spinner=False)
def _best_tokens(key: str, _active: ActiveModel) -> pd.DataFrame:
    table = _active.model.round_table()
    table = table[table["n_chars"] > 1].head(_N_TOKENS)
    return table[["token", "score", "be", "p"]].assign(token=table["token"].map(visible_space))


def _render_tokens(active: ActiveModel) -> None:
    table = _best_tokens(active.sha256, active)
    st.markdown(f"**{t('train.result.tokens')}**")
    st.dataframe(
        table,
        hide_index=True,
        height=320,
        column_config={
            "token": st.column_config.TextColumn(t("train.result.column.token")),
            "score": st.column_config.NumberColumn(t("train.result.column.score"), format="%.4g"),
            "be": st.column_config.NumberColumn(t("train.result.column.be"), format="%.3f"),
            "p": st.column_config.NumberColumn(t("train.result.column.p"), format="%.3g"),
        },
    )
    st.caption(t("train.result.tokens_note", count=len(table)))


def _render_load() -> None:
    file = st.file_uploader(t("train.file.load"), type=["tok"], key=_UPLOAD, label_visibility="collapsed")
    if file is None or file.file_id == st.session_state.get(_UPLOAD_SEEN):
        return
    try:
        reference = store_file(file.getvalue(), file.name)
    except ModelFileError as error:
        st.error(t("train.file.refused"), icon=":material/error:")
        st.text(str(error))
        return
    st.session_state[_UPLOAD_SEEN] = file.file_id
    st.session_state[state.NOTICE] = t("train.file.loaded", name=file.name)
    activate(reference)
    st.rerun()
