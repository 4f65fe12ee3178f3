"""BPE and WordPiece step by step: count the pairs, merge the best one, count again; then segment new words."""

from dataclasses import replace

import streamlit as st

from app.parts.choices import read_choice, set_choice, url_choice, url_toggle
from app.parts.data_table import draw_table, headings, render_data
from app.parts.hidden_answers import hides_answers, render_exercises
from app.parts.layout import Layout, heading, layout, live_layout, open_lines
from app.parts.tables.learn.merge_frames import merge_frames, replay_frames
from app.parts.tables.learn.merges import (
    MARKS,
    SOURCES,
    expected_table,
    merge_table,
    orders_table,
    pair_text,
    read_picks,
    run_with_picks,
    with_pick,
    write_picks,
)
from app.parts.toy_words import (
    chosen_preset,
    follow_preset,
    merges_slider,
    render_presets,
    render_words_field,
    render_words_to_segment,
    usable_words,
    word_to_segment,
    words_text,
)
from app.parts.url_stepper import url_stepper
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.toys.merges import ToyStep, merge_steps
from app.views.learn_bpe.dropout import render_dropout
from app.views.learn_bpe.longest_match import EXAMPLES, forget_own_tokens, render_match
from engine.config import TIES
from engine.merge_settings import SCORES, MergeSettings

_PAGE, _STEP = "learn_bpe", "step"
# The words that each method opens with.
_PRESETS = {"bpe": "low_slides", "wordpiece": "unaffable"}
_PICKS: UrlValue[dict[int, int]] = UrlValue("picks", "learn_bpe.picks", read_picks, write_picks, {})
_OF = "learn_bpe.of"
_LISTS = "learn_bpe.tie_lists"  # incremented when a choice changes outside its own list
_MAX_TIES = 8
# Of each method: the parameter of its marks; that of its rule, its texts and its options.
_CONTROLS = {
    "bpe": ("mark", "ties", "train.ties", TIES),
    "wordpiece": ("prefix", "score", "learn_bpe.score", SCORES[::-1]),
}
# The parts of the page that run on their own: what follows the keys, and what follows a pause.
_LIVE, _TIES, _SECTIONS = "learn_bpe.live", "learn_bpe.ties", "learn_bpe.sections"


def _use_preset(name: str) -> None:
    """Set what goes with the chosen words; the slides' WordPiece goes by frequency and has no ##."""
    follow_preset(name, word, [typed for typed, _ in EXAMPLES.values()])
    if name in SOURCES:
        set_choice("mark", SOURCES[name].mark)
        set_choice("ties", TIES[0])
    is_slides = name == "low_slides"
    set_choice("prefix", "underscore" if is_slides else "hashes")
    set_choice("score", "frequency" if is_slides else "likelihood")
    forget_own_tokens()


def _settings(view: Layout, method: str) -> MergeSettings:
    mark_param, rule_param, rule_texts, options = _CONTROLS[method]
    marks = {name: t(f"learn_bpe.{mark_param}.{name}") for name in MARKS[method]}
    rules = {name: t(f"{rule_texts}.{name}") for name in options}
    first_mark, first_rule = next(iter(marks)), options[0]
    mark, rule = read_choice(mark_param, marks, first_mark), read_choice(rule_param, rules, first_rule)
    with view.settings(t(f"learn_bpe.settings.{method}", mark=plain(marks[mark]), rule=plain(rules[rule]))):
        label, help_text = t(f"learn_bpe.{mark_param}.label"), t(f"learn_bpe.{mark_param}.help")
        mark = url_choice(mark_param, label, marks, first_mark, help_text)
        rule = url_choice(rule_param, t(f"{rule_texts}.label"), rules, first_rule, t(f"{rule_texts}.help"))
    continuing, end, place = MARKS[method][mark]
    return MergeSettings(
        algorithm=method,
        vocab_size=None,
        ties=rule if rule in TIES else TIES[0],
        score=rule if rule in SCORES else SCORES[0],
        end_of_word=end,
        mark_place=place,
        continuing=continuing,
    )


def _run(words: dict[str, int], settings: MergeSettings, n_merges: int) -> list[ToyStep]:
    """The run with the ties broken by hand."""
    _PICKS.adopt()
    of = (tuple(words.items()), settings)
    if st.session_state.get(_OF, of) != of:
        _forget_picks()
    st.session_state[_OF] = of
    steps, kept = run_with_picks(words, settings, n_merges, _PICKS.value)
    _PICKS.set(kept)
    _PICKS.publish(kept)
    return steps


def _pick(number: int, value: str) -> None:
    if value.isdigit():
        _PICKS.set(with_pick(_PICKS.value, number, int(value)))


def _pick_in_table(number: int, value: str) -> None:
    _pick(number // 2 if is_hidden else number, value)  # with hidden answers each step has two frames
    _renew_lists()
    st.rerun()


def _pick_in_list(number: int, key: str) -> None:
    choice = st.session_state.get(key)
    # A browser that has not received a choice yet still sends the value of the previous list.
    if choice is not None and key == _list_key(number):
        _PICKS.set(with_pick(_PICKS.value, number, choice))
    st.rerun()


def _unpick() -> None:
    _forget_picks()
    st.rerun()


def _forget_picks() -> None:
    _PICKS.set({})
    _renew_lists()


def _renew_lists() -> None:
    st.session_state[_LISTS] = st.session_state.get(_LISTS, 0) + 1


def _list_key(number: int) -> str:
    """Key of a tie's list: new if the choice changes elsewhere, kept if it is made in the list (to keep focus)."""
    earlier = write_picks({step: pick for step, pick in _PICKS.value.items() if step < number})
    return f"learn_bpe.tie.{number}.{st.session_state.get(_LISTS, 0)}.{earlier or ''}"


@fragment(key=_TIES)
def _render_ties(settings: MergeSettings, n_merges: int) -> None:
    """Let the visitor choose among equally good pairs."""
    words = usable_words(_PAGE, preset, says=False)
    steps = _run(words, settings, n_merges) if words else []
    tied = [step for step in steps if step.chosen is not None and len(step.ties) > 1]
    if not tied:
        st.caption(t("learn_bpe.no_ties"))
        return
    with st.expander(t("learn_bpe.ties", count=len(tied)), icon=":material/tune:", key="ties"):
        st.caption(t("learn_bpe.ties_help"))
        for step in tied[:_MAX_TIES]:
            key = _list_key(step.number)
            assert step.chosen is not None
            st.session_state[key] = step.ties.index(step.chosen)
            st.segmented_control(
                t("learn_bpe.tie", number=step.number + 1, count=len(step.ties)),
                range(len(step.ties)),
                format_func=[plain(pair_text(pair)) for pair in step.ties].__getitem__,
                key=key,
                on_change=_pick_in_list,
                args=(step.number, key),
                wrap=True,
            )
        if _PICKS.value:
            st.button(t("learn_bpe.unpick"), key="learn_bpe.unpick", on_click=_unpick, icon=":material/undo:")


def _render_source(name: str, steps: list[ToyStep]) -> None:
    """What the source prints, compared with the result here."""
    if not url_toggle("source", t("learn_bpe.source.heading", name=t(f"toy.preset.{name}"))):
        return
    with st.container(border=True):
        table = expected_table(SOURCES[name].merges, steps)
        table["same"] = ["✓" if same else "≠" for same in table["same"]]
        columns = {column: t(f"learn_bpe.table.{column}") for column in table.columns}
        st.dataframe(table, hide_index=True, column_config=columns, width="content")
        st.markdown(t(f"learn_bpe.source.{name}"))


def _render_orders(words: dict[str, int], settings: MergeSettings, steps: list[ToyStep]) -> None:
    """The merges of WordPiece beside those that go by frequency."""
    st.header(t("learn_bpe.orders.heading"))
    st.markdown(t("learn_bpe.orders.text"))
    bpe = merge_steps(words, replace(settings, score="frequency"), len(steps) - 1)
    table = orders_table(bpe, steps)
    columns = headings("learn_bpe.orders", number="%d", bpe="", count="%d", wordpiece="", formula="", score="%.5f")
    draw_table(table, columns, height=460)
    render_data("merge-orders", table, columns, of=words_text(words))
    st.markdown(t("learn_bpe.lesson"))


@fragment(waits=False)
def _render_segmenter(steps: list[ToyStep], settings: MergeSettings, counts: dict[str, int]) -> None:
    st.header(t("learn_bpe.segmenter"))
    st.markdown(t("learn_bpe.segmenter_text"))
    words = render_words_to_segment(word)
    if not words:
        return
    merges = [step.chosen for step in steps if step.chosen]
    frames = replay_frames(words, merges, steps[0].vocabulary, settings, language())
    url_stepper("at", frames, (tuple(words), tuple(merges), settings), t("learn_bpe.segmenter"))
    places = open_lines("learn_bpe", {"dropout": t("learn_bpe.dropout")}, ("dropout",))
    if "dropout" in places:
        with places["dropout"]:
            render_dropout(words[0], counts, merges, settings)


@fragment(key=_LIVE, waits=False)
def _render_live(settings: MergeSettings, n_merges: int, is_hidden: bool) -> None:
    """The words and their merges, which follow the keys."""
    topic, picture = live_layout()
    with topic:
        render_words_field(_PAGE, preset, (_TIES, _SECTIONS))
    with picture:
        if words := usable_words(_PAGE, preset):
            steps = _run(words, settings, n_merges)
            frames = merge_frames(steps, settings, _PICKS.value, language(), is_hidden)
            url_stepper(_STEP, frames, (steps[0].words, settings, is_hidden), t("learn_bpe.title"), _pick_in_table)


@fragment(key=_SECTIONS)
def _render_sections(settings: MergeSettings, n_merges: int, is_hidden: bool) -> None:
    words = usable_words(_PAGE, preset, says=False)
    if not words:
        return
    steps = _run(words, settings, n_merges)
    if settings.algorithm == "wordpiece":
        if not is_hidden:
            _render_orders(words, settings, steps)
        render_match(word, steps[-1].vocabulary, settings)
        return
    if not is_hidden:
        table = merge_table(steps)
        columns = {name: t(f"learn_bpe.table.{name}") for name in table.columns}
        render_data("bpe-merges", table, columns, of=words_text(words))
    source = chosen_preset(_PAGE)
    if source in SOURCES:
        _render_source(source, steps)
    _render_segmenter(steps, settings, words)


method = heading("learn_bpe", list(_PRESETS))
preset = _PRESETS[method]
word = word_to_segment(_PAGE, preset)
view = layout(is_live=True)
render_exercises(_PAGE)
settings = _settings(view, method)
with view.scrubber:
    n_merges = merges_slider()
    render_presets(_PAGE, preset, _use_preset, SOURCES if method == "bpe" else ())
    is_hidden = hides_answers()
with view.picture:
    _render_live(settings, n_merges, is_hidden)
if not is_hidden:
    with view.scrubber:
        _render_ties(settings, n_merges)
with view.sections:
    _render_sections(settings, n_merges, is_hidden)
