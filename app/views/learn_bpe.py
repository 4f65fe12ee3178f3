"""BPE step by step: count the pairs, merge the best one, count again; then a word replays the merges."""

import streamlit as st

from app import state
from app.components.choices import url_choice
from app.components.merge_frames import merge_frames, pair_text, picked_ties, replay_frames
from app.components.stepper import stepper
from app.components.stepper_labels import stepper_labels
from app.components.toy_words import render_toy_words
from app.i18n import language, t
from engine.config import TIES
from engine.lessons.toy_merges import ToyStep, merge_steps, replay
from engine.merges.settings import MergeSettings

_MARKS = {"symbol": ("_", "symbol"), "attached": ("</w>", "attached"), "none": ("", "attached")}
_PICKS, _MAX_TIES, _MAX_WORD = "learn_bpe.picks", 8, 40


def _settings() -> MergeSettings:
    left, right = st.columns(2)
    with left:
        mark = url_choice("mark", t("learn_bpe.mark.label"), {m: t(f"learn_bpe.mark.{m}") for m in _MARKS}, "symbol")
    with right:
        ties = url_choice("ties", t("train.ties.label"), {name: t(f"train.ties.{name}") for name in TIES}, TIES[0],
                          t("train.ties.help"))  # fmt: skip
    text, place = _MARKS[mark]
    return MergeSettings(
        algorithm="bpe", vocab_size=None, ties=ties, end_of_word=text, mark_place=place
    )  # fmt: skip


def _decode(word: str) -> dict[int, int] | None:
    pairs = [part.split(".") for part in word.split("-")]
    if not all(len(pair) == 2 and all(n.isdecimal() and len(n) < 4 for n in pair) for pair in pairs):
        return None
    return {int(step): int(pick) for step, pick in pairs}


def _run(words: dict[str, int], settings: MergeSettings, n_merges: int) -> list[ToyStep]:
    """The run with the ties that were decided by hand; what follows a choice may offer other ties."""
    state.adopt("picks", _PICKS, _decode)
    picks: dict[int, int] = st.session_state.setdefault(_PICKS, {})
    steps = merge_steps(words, settings, n_merges)
    kept: dict[int, int] = {}
    for number in sorted(picks):
        if picked_ties({number: picks[number]}, steps):
            kept[number] = picks[number]
            steps = merge_steps(words, settings, n_merges, picked_ties(kept, steps))
    st.session_state[_PICKS] = kept
    state.publish("picks", "-".join(f"{step}.{pick}" for step, pick in kept.items()) or None)
    return steps


def _pick(number: int) -> None:
    picks: dict[int, int] = dict(st.session_state.get(_PICKS, {}))
    choice = st.session_state.get(f"learn_bpe.tie.{number}")
    # Another pair here makes all that follows another run.
    picks = {step: pick for step, pick in picks.items() if step < number}
    st.session_state[_PICKS] = picks if choice is None else picks | {number: choice}


def _render_ties(steps: list[ToyStep]) -> None:
    """Where several pairs are equally good, the visitor may decide."""
    tied = [step for step in steps if step.chosen is not None and len(step.ties) > 1]
    if not tied:
        st.caption(t("learn_bpe.no_ties"))
        return
    with st.expander(t("learn_bpe.ties", count=len(tied)), icon=":material/balance:"):
        st.caption(t("learn_bpe.ties_help"))
        for step in tied[:_MAX_TIES]:
            key = f"learn_bpe.tie.{step.number}"
            assert step.chosen is not None
            st.session_state[key] = step.ties.index(step.chosen)
            st.segmented_control(
                t("learn_bpe.tie", number=step.number + 1, count=step.pairs[0].frequency),
                range(len(step.ties)),
                format_func=[pair_text(pair) for pair in step.ties].__getitem__,
                key=key,
                on_change=_pick,
                args=(step.number,),
                wrap=True,
            )


def _render_segmenter(steps: list[ToyStep], settings: MergeSettings) -> None:
    st.header(t("learn_bpe.segmenter"))
    st.markdown(t("learn_bpe.segmenter_text"))
    state.adopt("word", "learn_bpe.word", state.unpack_text)
    st.session_state.setdefault("learn_bpe.word", "slow")
    word = st.text_input(t("learn_bpe.word"), key="learn_bpe.word", max_chars=_MAX_WORD, persist_state="session") or ""
    state.publish("word", None if word == "slow" else state.pack_text(word))
    if not word.strip():
        st.info(t("learn_bpe.word_empty"), icon=":material/edit:")
        return
    merges = [step.chosen for step in steps if step.chosen]
    first, replayed = replay(word.strip(), merges, settings)
    frames = replay_frames(first, replayed, steps[0].vocabulary)
    stepper("learn_bpe.replay", frames, stepper_labels(title=t("learn_bpe.segmenter")), ui_lang=language())


st.title(t("learn_bpe.title"))
st.markdown(t("learn_bpe.intro"))
words = render_toy_words("learn_bpe", "low_slides")
settings = _settings()
n_merges = st.slider(t("learn_bpe.merges"), 1, 40, 8, key="merges", bind="query-params", persist_state="session")
steps = _run(words, settings, n_merges)
stepper("learn_bpe.run", merge_frames(steps, False), stepper_labels(title=t("learn_bpe.title")), ui_lang=language())
_render_ties(steps)
_render_segmenter(steps, settings)
