"""Export the active model to other programs, with the proof that it encodes the same there."""

from dataclasses import replace

import streamlit as st

from app.parts.choices import url_choice
from app.parts.problem import reason
from app.server.work.exporting import Exported, export_file
from app.session import state
from app.session.models import ActiveModel, ActiveTokenizer, activate, model_file, ready_model
from app.texts.i18n import t
from app.texts.plain import plain
from engine.errors import InputError
from engine.interop.formats import FORMATS, format_of
from engine.tokenizer import Tokenizer

_PROFILES = ("byte-level", "byte-fallback")
_TABLE, _RANKS = "tsv", "tiktoken"


def _targets(model: Tokenizer) -> tuple[str, ...]:
    """What a tokenizer of this kind may become. The table is elsewhere on the page; a Unigram is told why no ranks."""
    suit = (one.name for one in FORMATS if one.name != _TABLE and one.functions.suits(model))
    return (*suit, *([_RANKS] if model.pruning is not None else []))


def render_export(active: ActiveTokenizer) -> None:
    """Choose a format, make the file, download it."""
    targets = _targets(active.model)
    path = model_file(active.reference, active.source)
    if not targets or path is None:
        st.caption(t("export.none"))
        return
    st.caption(t("export.intro"))
    target = url_choice("to", t("export.target"), {name: t(f"export.to.{name}") for name in targets}, targets[0])
    profile = _PROFILES[0]
    is_unigram = active.model.pruning is not None
    if target == "hf" and is_unigram:
        profile = url_choice(
            "profile",
            t("export.profile"),
            {name: t(f"export.profiles.{name}") for name in _PROFILES},
            profile,
            t("export.profile_help"),
        )
    if target == _RANKS and is_unigram:
        st.info(t("export.no_tiktoken"), icon=":material/block:")
        return
    if target == "sentencepiece" and is_unigram:
        _render_safety(active)
    key = (active.sha256, target, profile)
    if st.button(t("export.make"), key="export.make", icon=":material/output:"):
        with st.spinner(t("export.checking")):
            try:
                made = export_file(path, str(target), str(profile), active.text, state.visitor())
                st.session_state["export.made"] = (key, made)
            except InputError as error:
                st.session_state["export.made"] = (key, error)
    _render_made(active, key)


def _render_safety(active: ActiveTokenizer) -> None:
    """An exact .model needs different training settings: say so, offer it, and show its cost."""
    reference = active.reference
    if reference.is_file or active.source is None:
        return
    safe = replace(reference, settings=replace(reference.settings, sentencepiece_safe=True))
    plain_one = replace(reference, settings=replace(reference.settings, sentencepiece_safe=False))
    if reference != safe:
        st.info(t("export.not_safe"), icon=":material/shield:")
        st.button(t("export.train_safe"), on_click=activate, args=(safe,), key="export.train_safe")
    costs = [_fertility(ready_model(one, active.source)) for one in (plain_one, safe)]
    if costs[0] and costs[1]:
        st.caption(t("export.cost", plain=costs[0], safe=costs[1], change=100 * (costs[1] / costs[0] - 1)))


def _fertility(active: ActiveModel | None) -> float | None:
    """Tokens per word of the training corpus; None if the model is not available."""
    text = active and active.model.training_text
    return text.n_tokens / text.n_words if text and text.n_words else None


def _render_made(active: ActiveTokenizer, key: tuple[str, object, object]) -> None:
    made: tuple[tuple[str, object, object], Exported | InputError] | None = st.session_state.get("export.made")
    if made is None or made[0] != key:
        return
    result = made[1]
    if isinstance(result, InputError):
        st.error(t("export.refused"), icon=":material/error:")
        st.text(reason(result))
        return
    st.success(
        t("export.done", lines=result.checked_lines, name=plain(result.checked_with)), icon=":material/verified:"
    )
    target = str(key[1])
    ending = format_of(target, active.model).ending
    st.download_button(
        t("export.download"),
        result.data,
        file_name=f"{active.reference.settings.algorithm}{ending}",
        mime="application/octet-stream",
        key="export.download",
        icon=":material/download:",
        on_click="ignore",
    )
