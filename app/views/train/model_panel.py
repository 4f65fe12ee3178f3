"""The active model on the Train page: its figures, its best tokens, and its file."""

import pandas as pd
import streamlit as st

from app.parts.choices import unit_choice
from app.parts.data_table import download_csv
from app.parts.tables.units import factor_of, per_nat
from app.parts.texts.link_check import cached_vocabulary_hash
from app.parts.tokenizers.active_model import active_tokenizer
from app.parts.tokenizers.hub_field import render_own_model
from app.session import state
from app.session.models import activate, model_file
from app.session.titles import reference_title
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.views.train.export_panel import render_export
from engine.interop.vocabulary_table import vocabulary_table
from engine.tokenizer import MergedTokenizer, PrunedTokenizer, Tokenizer

_N_TOKENS = 200


def render_model_panel() -> None:
    """The trained model, and download and upload of model files."""
    active = active_tokenizer()
    model = active.model
    with st.container(border=True, key="model_panel"):
        st.markdown(f"**{plain(active.name)}**")
        if model.pruning is not None:
            # As on the command line, the seed vocabulary's round 0 counts.
            last = model.pruning.last_round
            _render_figures(model, t("train.result.rounds"), last + 1, t("train.result.rounds_help", last=last))
        elif model.merges is not None:
            _render_figures(model, t("train.result.merges"), model.merges.n_merges)
        st.caption(f"SHA-256: {active.sha256}  \n{t('check.hash', hash=cached_vocabulary_hash(active.sha256, model))}")
        path = model_file(active.reference, active.source)
        if path is not None:
            st.download_button(
                t("train.file.download"),
                path.read_bytes,
                file_name=f"{active.reference.settings.algorithm}-{model.vocab_size}.tok",
                mime="application/octet-stream",
                key="train.download",
                help=t("train.file.download_help"),
                icon=":material/download:",
                on_click="ignore",
            )
    if model.pruning is not None:
        _render_tokens(active.sha256, model.pruning, unit_choice())
    elif model.merges is not None:
        _render_merges(active.sha256, model.merges)
    download_csv("vocabulary", lambda: vocabulary_table(model), t("train.result.vocabulary"), of=active)
    with st.expander(t("export.heading"), icon=":material/output:"):
        render_export(active)
    with st.expander(t("train.file.load"), icon=":material/upload_file:"):
        _render_load()


def _render_figures(model: Tokenizer, step: str, n_steps: int, step_help: str | None = None) -> None:
    text = model.training_text
    with st.container(horizontal=True, gap="medium"):
        st.metric(t("train.result.size"), f"{model.vocab_size:,}", width="content")
        st.metric(step, f"{n_steps:,}", width="content", help=step_help)
        if text and text.n_words:
            help_text = t("train.result.fertility_help")
            fertility = f"{text.n_tokens / text.n_words:.3f}"
            st.metric(t("train.result.fertility"), fertility, help=help_text, width="content")


@st.cache_data(max_entries=50, show_spinner=False)
def _best_tokens(sha256: str, _model: PrunedTokenizer) -> pd.DataFrame:
    table = _model.round_table()
    table = table[table["n_chars"] > 1].head(_N_TOKENS)
    return table[["token", "score", "be", "p"]].assign(token=table["token"].map(visible_space))


@st.cache_data(max_entries=50, show_spinner=False)
def _first_merges(sha256: str, _model: MergedTokenizer) -> pd.DataFrame:
    table = _model.table().head(_N_TOKENS)[["number", "left", "right", "count", "score", "n_ties"]]
    return table.assign(left=table["left"].map(visible_space), right=table["right"].map(visible_space))


def _render_merges(sha256: str, model: MergedTokenizer) -> None:
    table = _first_merges(sha256, model)
    st.markdown(f"**{t('train.result.merges_heading')}**")
    column = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "number": column.NumberColumn(t("train.result.column.merge"), format="%d", width="small"),
            "left": column.TextColumn(t("train.result.column.left")),
            "right": column.TextColumn(t("train.result.column.right")),
            "count": column.NumberColumn(t("train.result.column.count"), format="localized"),
            "score": column.NumberColumn(t("train.result.column.score"), format="%.4g"),
            "n_ties": column.NumberColumn(t("train.result.column.ties"), format="%d", width="small"),
        },
    )
    st.caption(t("train.result.merges_note", count=len(table)))


def _render_tokens(sha256: str, model: PrunedTokenizer, unit: str) -> None:
    table = _best_tokens(sha256, model)
    table = table.assign(be=table["be"] * per_nat(unit), score=table["score"] * factor_of(model.settings.score, unit))
    st.markdown(f"**{t('train.result.tokens')}**")
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "token": st.column_config.TextColumn(t("train.result.column.token")),
            "score": st.column_config.NumberColumn(t("train.result.column.score"), format="%.4g"),
            "be": st.column_config.NumberColumn(
                t("train.result.column.be", unit=t(f"figure.unit.{unit}")), format="%.3f"
            ),
            "p": st.column_config.NumberColumn(t("train.result.column.p"), format="%.3g"),
        },
    )
    st.caption(t("train.result.tokens_note", count=len(table)))


def _render_load() -> None:
    reference = render_own_model("train.model_file", t("train.file.load"))
    if reference is not None:
        st.session_state[state.NOTICE] = plain(t("train.file.loaded", name=reference_title(reference)))
        activate(reference)
        st.rerun()
