"""The slider of the page Pruning rounds, and everything that moves with it."""

import time

import streamlit as st

from app.parts.choices import ROUND, round_slider, unit_choice
from app.parts.layout import layout
from app.parts.tokens.morpheme_layer import LayerOptions, analyser_choice, row_switch
from app.parts.tokens.token_class_filter import kinds_of, kinds_switch
from app.parts.tokens.token_field import LIFE
from app.session.models import ActiveModel
from app.session.page_run import fragment, said_of_input
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.rounds.life import lives_of, render_life
from app.views.rounds.numbers import render_numbers
from app.views.rounds.picture import render_early, render_figures
from app.views.rounds.removed import render_removed
from app.views.rounds.sentence import render_all_rounds, render_examples, render_strips, sentence_field
from app.views.rounds.survival import render_survival

_PLAYING, _EXPECTED, _ADVANCED = "rounds.playing", "rounds.expected", "rounds.advanced"
_PLAY_SECONDS = 1.5


def render_history(active: ActiveModel, unit: str) -> None:
    """Everything that depends on the slider, in a fragment: nothing else on the page reruns when it moves.

    Parameters
    ----------
    unit : what the rest of the page shows; another choice reruns it.
    """
    is_playing = bool(st.session_state.get(_PLAYING, False))
    # The interval of a fragment's automatic reruns can only change when the whole page runs.
    fragment(key=LIFE, run_every=_PLAY_SECONDS if is_playing else None)(_render)(active, unit, is_playing)


def _render(active: ActiveModel, unit: str, is_playing: bool) -> None:
    rounds = active.model.kept_rounds
    if st.session_state.get(_PLAYING, False):
        _advance(rounds)
    if bool(st.session_state.get(_PLAYING, False)) != is_playing:
        st.rerun()
    view = layout()
    with view.topic:
        sentence = sentence_field()
    with view.scrubber:
        number = _render_scrubber(rounds, is_playing)
    with view.settings(t("rounds.settings", name=plain(active.title))):
        render_examples(active)
        if unit_choice() != unit:
            st.rerun()
        with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="rounds.morphemes"):
            has_row, has_kinds = row_switch(), kinds_switch()
            analyser = analyser_choice() if has_row or has_kinds else None
    with view.sections:
        tokens = render_life(active, unit)
    with view.picture:
        if number < rounds[0]:
            render_early(active, number, unit)
        else:
            options = LayerOptions(analyser) if analyser and has_row else None
            with said_of_input():
                render_strips(active, sentence, number, options, tokens[0])
            render_figures(active, number, unit, lives_of(active, tokens))
    with view.sections:
        render_numbers(active, number, unit)
        kinds = kinds_of(active, analyser) if analyser and has_kinds else None
        render_removed(active, number, unit, kinds)
        with said_of_input():
            render_all_rounds(active, sentence, number, tokens[0])
        render_survival(active, kinds, has_kinds)


def _render_scrubber(rounds: range, is_playing: bool) -> int:
    """The slider, over all rounds of the training, and the button that moves it through those that are kept."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="rounds.scrubber"):
        number = round_slider(range(rounds[-1] + 1), rounds[0])
        name = "pause" if is_playing else "play"
        st.button(
            t(f"rounds.{name}"),
            key="rounds.play",
            on_click=_toggle,
            args=(rounds,),
            disabled=len(rounds) == 1,
            icon=f":material/{name}_arrow:" if name == "play" else ":material/pause:",
        )
    return number


def _toggle(rounds: range) -> None:
    starts = not st.session_state.get(_PLAYING, False)
    st.session_state[_PLAYING] = starts
    if starts:
        if st.session_state.get(ROUND, rounds[0]) >= rounds[-1]:
            st.session_state[ROUND] = rounds[0]
        st.session_state[_EXPECTED] = st.session_state.get(ROUND, rounds[0])
        st.session_state[_ADVANCED] = time.monotonic()


def _advance(rounds: range) -> None:
    """Advance to the next round; stop at the last one, or when the visitor moves the slider."""
    now = st.session_state.get(ROUND, rounds[0])
    # A busy browser may resend the previous round if it asked before drawing the new one. It is waited for: were it two
    # rounds behind, what it resends would be taken for a move of the visitor.
    if now == st.session_state[_EXPECTED] - 1:
        st.session_state[ROUND] = st.session_state[_EXPECTED]
    elif now >= rounds[-1] or now != st.session_state[_EXPECTED]:
        st.session_state[_PLAYING] = False
    # The fragment also runs for reasons other than its timer.
    elif time.monotonic() - st.session_state[_ADVANCED] > 0.8 * _PLAY_SECONDS:
        st.session_state[ROUND] = st.session_state[_EXPECTED] = now + 1
        st.session_state[_ADVANCED] = time.monotonic()
