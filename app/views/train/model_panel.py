"""The active model on the Train page: its figures and its file."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import download, download_csv
from app.parts.problem import reason
from app.parts.texts.link_check import cached_vocabulary_hash
from app.parts.tokenizers.active_model import active_tokenizer
from app.parts.tokenizers.hub_field import render_own_model
from app.server.visitors import Visitor
from app.server.work.jobs import DONE, registry
from app.server.work.work_kinds import EXPORTING, Errand
from app.session import state
from app.session.models import ActiveModel, ActiveTokenizer, activate, model_file, ready_model
from app.session.titles import reference_title
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.train.saved import render_save
from engine.errors import InputError
from engine.interop.formats import FORMATS, format_of
from engine.interop.vocabulary_table import vocabulary_table
from engine.tokenizer import Tokenizer

_SAMPLE_LINES = 2000
_MIME = "application/octet-stream"


class Exported(NamedTuple):
    """A checked file: its content, the number of lines compared, and the library that checked it."""

    data: bytes
    checked_lines: int
    checked_with: str


def export_file(model: Path, target: str, profile: str, source: Text | None, visitor: Visitor) -> Exported:
    """Export a model file, checked on the beginning of its training text. Waits for the worker.

    Raises
    ------
    InputError : the export is refused; the message says why, with a counterexample if there is one.
    """
    with tempfile.TemporaryDirectory(prefix="export-", dir=registry().folder) as folder:
        sample, output = Path(folder) / "sample.txt", Path(folder) / "exported"
        if source is not None:
            lines = [line for line in source.lines() if line][:_SAMPLE_LINES]
            sample.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="ignore", newline="")
        request = {
            "model": str(model),
            "target": target,
            "profile": profile,
            "sample": [] if source is None else [str(sample)],
            "output": str(output),
        }
        job = registry().run(Errand(EXPORTING, request), visitor)
        if job.state == DONE:
            return Exported(output.read_bytes(), job.result["checked_lines"], job.result["checked_with"])
    # Worker errors about trainings and their texts do not fit here.
    if job.error is None or job.error.code.startswith("job."):
        raise InputError("export.failed")
    raise job.error


_PROFILES = ("byte-level", "byte-fallback")
_TABLE, _RANKS = "tsv", "tiktoken"


def render_model_panel(owner: str) -> None:
    """The active model: saving, download and export; another one from a file.

    Parameters
    ----------
    owner : whose library it can be saved in, empty if there is none.
    """
    with st.expander(t("train.file.load"), icon=":material/upload_file:", key="train.load"):
        _render_load()
    active = active_tokenizer()
    model = active.model
    with st.container(border=True, key="model_panel"):
        st.markdown(t("library.save.which", name=plain(active.name)))
        if model.pruning is not None:
            # As on the command line, the seed vocabulary's round 0 counts.
            last = model.pruning.last_round
            _render_figures(model, t("train.result.rounds"), last + 1, t("train.result.rounds_help", last=last))
        elif model.merges is not None:
            _render_figures(model, t("train.result.merges"), model.merges.n_merges)
        st.caption(f"SHA-256: {active.sha256}  \n{t('check.hash', hash=cached_vocabulary_hash(active))}")
        path = model_file(active.reference, active.source)
        if path is not None:
            label, file = t("train.file.download"), f"{active.reference.settings.algorithm}-{model.vocab_size}.tok"
            download(label, path.read_bytes, file, _MIME, "train.download", t("train.file.download_help"))
        download_csv("vocabulary", lambda: vocabulary_table(model), t("train.result.vocabulary"), of=active)
        if owner:
            render_save(active, owner)
    with st.expander(t("export.heading"), icon=":material/output:"):
        render_export(active)


def _render_figures(model: Tokenizer, step: str, n_steps: int, step_help: str | None = None) -> None:
    text = model.training_text
    with st.container(horizontal=True, gap="medium"):
        st.metric(t("train.result.size"), f"{model.vocab_size:,}", width="content")
        st.metric(step, f"{n_steps:,}", width="content", help=step_help)
        if text and text.n_words:
            help_text = t("train.result.fertility_help")
            fertility = f"{text.n_tokens / text.n_words:.3f}"
            st.metric(t("train.result.fertility"), fertility, help=help_text, width="content")


def _render_load() -> None:
    reference = render_own_model("train.model_file", t("train.file.load"))
    if reference is not None:
        st.session_state[state.NOTICE] = plain(t("train.file.loaded", name=reference_title(reference)))
        activate(reference)
        st.rerun()


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
    file = f"{active.reference.settings.algorithm}{ending}"
    download(t("export.download"), result.data, file, _MIME, "export.download")
