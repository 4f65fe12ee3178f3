"""The form of all training settings. Every widget's key is `train.<name of the setting>`."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import streamlit as st

from app.session.reference import DEFAULT_SETTINGS
from app.session.training import suggested_size
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from engine.boundaries.learned import is_learned
from engine.config import (
    AUTHORS,
    AUTHORS_SEEDS,
    CONTEXTS,
    FOR_MERGES,
    LARGEST_VOCAB,
    MEMBERSHIPS,
    MERGE_ALGORITHMS,
    MOST_SEED_FACTOR,
    NORMALIZATIONS,
    RECIPES,
    SCORES,
    SEED_VOCABULARIES,
    SUPERBPE,
    TIES,
    UNIGRAM_ALGORITHMS,
    TrainingSettings,
    defaults_of,
)
from engine.corpus.normalize import normalization_changes, normalize
from engine.corpus.pretokens.presets import PRESETS
from engine.pretokenization import PRETOKENIZERS, get_pretokenizer

_ALGORITHMS = (*UNIGRAM_ALGORITHMS, *MERGE_ALGORITHMS)
_REGEX = "regex"
_PATTERN = "train.pattern"
_MAX_CHANGES = 8
_SMALL_TEXT = 100_000  # characters; about 200 kB, see docs/evidence.md
_SUGGESTED = "train.suggested"  # the size that the form set by itself
_BEFORE = "train.before"  # the algorithm that was chosen last
_CUSTOM = "own"

# What defines the Unigram LM: not offered as choices.
_OF_UNIGRAM = ("score", "seed_vocabulary")


def _key(name: str) -> str:
    return f"train.{name}"


def adopt_settings(settings: TrainingSettings) -> None:
    """Set the widgets to these settings."""
    for setting in fields(TrainingSettings):
        st.session_state[_key(setting.name)] = getattr(settings, setting.name)
    st.session_state[_key("special_tokens")] = "\n".join(settings.special_tokens)
    if settings.pretokenizer not in PRETOKENIZERS:
        st.session_state.update({_key("pretokenizer"): _REGEX, _PATTERN: settings.pretokenizer})


def chosen_settings() -> TrainingSettings:
    """The settings of the widgets.

    Raises
    ------
    InputError : an invalid combination or value.
    """
    values: dict[str, Any] = {
        setting.name: st.session_state.get(_key(setting.name), getattr(DEFAULT_SETTINGS, setting.name))
        for setting in fields(TrainingSettings)
    }
    if values["pretokenizer"] == _REGEX:
        values["pretokenizer"] = st.session_state.get(_PATTERN) or PRESETS["gpt2"].pattern
    if values["seed_vocabulary"] != "bpe":
        values["seed_factor"] = DEFAULT_SETTINGS.seed_factor  # equal trainings have equal names
    if _is_authors():
        values |= AUTHORS
    if values["algorithm"] == "unigram":
        values |= {name: getattr(defaults_of("unigram"), name) for name in _OF_UNIGRAM}
    special = st.session_state.get(_key("special_tokens"), "")
    values["special_tokens"] = tuple(line.strip() for line in special.splitlines() if line.strip())
    if values["algorithm"] in MERGE_ALGORITHMS:
        # All others stay at their defaults, so that equal trainings have equal names.
        more = ("transition",) if values["algorithm"] == SUPERBPE else ()
        values = {name: values[name] for name in (*FOR_MERGES, *more)}
    else:
        values["transition"] = DEFAULT_SETTINGS.transition
    return TrainingSettings(**values)


def _is_authors() -> bool:
    """Whether the authors' program is chosen, which decides more than its seed vocabulary."""
    is_thunder_tok = st.session_state.get(_key("algorithm")) == DEFAULT_SETTINGS.algorithm
    return is_thunder_tok and st.session_state.get(_key("seed_vocabulary")) in AUTHORS_SEEDS


def begin_settings() -> None:
    """The defaults, before any widget."""
    if _key("algorithm") not in st.session_state:
        adopt_settings(DEFAULT_SETTINGS)
        st.session_state[_SUGGESTED] = DEFAULT_SETTINGS.vocab_size


def _control(text: str, options: Sequence[str] = (), key: str = "") -> dict[str, Any]:
    """What every control of a setting has: its texts, its key, and its options if it has a list of them."""
    titles = {option: t(f"train.{text}.{option}") for option in options}
    shown = {"options": options, "format_func": titles.__getitem__} if options else {}
    label, about = t(f"train.{text}.label"), t(f"train.{text}.help")
    return {"label": label, "key": key or _key(text), "help": about, "persist_state": "session", **shown}


def render_algorithm() -> None:
    st.selectbox(**_control("algorithm", _ALGORITHMS), on_change=_adopt_stages, width=180)


def _adopt_stages() -> None:
    """For SuperBPE the words of its first stage, since the pre-tokens of Thunder-Tok cross spaces by themselves."""
    algorithm = st.session_state[_key("algorithm")]
    if SUPERBPE in (algorithm, st.session_state.get(_BEFORE)):
        for name in ("pretokenizer", "ties"):
            st.session_state[_key(name)] = getattr(defaults_of(algorithm), name)
    st.session_state[_BEFORE] = algorithm


def render_more_settings(source: Text | None) -> None:
    """All widgets but algorithm and size; for a small text it says which seed vocabulary suits it."""
    algorithm = st.session_state[_key("algorithm")]
    if algorithm in MERGE_ALGORITHMS:
        _choice("ties", TIES)
        _pretokenizer()
        _more_for_merges(algorithm)
        return
    st.caption(t("train.settings.how"))
    is_unigram, own = algorithm == "unigram", defaults_of(algorithm)
    if not is_unigram:
        _recipe()
    has_score = is_unigram or _is_authors()
    _choice("score", (own.score,) if has_score else SCORES, disabled=has_score)
    seeds = (own.seed_vocabulary,) if is_unigram else (*SEED_VOCABULARIES, *AUTHORS_SEEDS)
    _choice("seed", seeds, "seed_vocabulary", is_unigram)
    is_linguistic = not is_unigram and st.session_state[_key("seed_vocabulary")] == DEFAULT_SETTINGS.seed_vocabulary
    if is_linguistic and source is not None and source.n_chars < _SMALL_TEXT:
        st.caption(t("train.seed.small", name=t("train.seed.right-branching")))
    if not is_unigram and st.session_state[_key("seed_vocabulary")] == "bpe":
        st.number_input(**_control("seed_factor"), min_value=1.0, max_value=MOST_SEED_FACTOR, step=0.1, format="%g")
    _pretokenizer()
    _more()


def _choice(
    text: str,
    options: tuple[str, ...],
    name: str = "",
    disabled: bool = False,
    on_change: Callable[[], None] | None = None,
) -> None:
    """A row of options; a single option has a separate key."""
    key = _key(name or text)
    if disabled:
        key = f"{key}.fixed"
        st.session_state[key] = options[0]
    control = _control(text, options, key)
    st.segmented_control(**control, required=True, wrap=True, disabled=disabled, on_change=on_change)


def _recipe() -> None:
    """Score, seed vocabulary and pre-tokenizer by one name; the selection shown follows the three settings."""
    parts = {name: st.session_state[_key(name)] for name in next(iter(RECIPES.values()))}
    chosen = next((name for name, recipe in RECIPES.items() if recipe == parts), _CUSTOM)
    options = tuple(RECIPES) if chosen in RECIPES else (*RECIPES, _CUSTOM)
    st.session_state[_key("recipe")] = chosen
    _choice("recipe", options, on_change=_adopt_recipe)


def _adopt_recipe() -> None:
    for name, value in RECIPES.get(st.session_state[_key("recipe")], {}).items():
        st.session_state[_key(name)] = value


def _pretokenizer() -> None:
    st.selectbox(**_control("pretokenizer", (*PRETOKENIZERS, _REGEX)))
    if st.session_state[_key("pretokenizer")] == _REGEX:
        st.session_state.setdefault(_PATTERN, PRESETS["gpt2"].pattern)
        st.text_input(t("train.pretokenizer.pattern"), key=_PATTERN, max_chars=500, persist_state="session")


def _more_for_merges(algorithm: str) -> None:
    left, right = st.columns(2)
    with left:
        _special_tokens()
    with right:
        if algorithm == SUPERBPE:
            st.number_input(**_control("transition"), min_value=0.01, max_value=1.0, step=0.05, format="%g")
        if algorithm == "wordpiece":
            _number("min_count", 1, 1000, t("train.min_count.help_wordpiece"))
        _choice("normalization", NORMALIZATIONS)


def _special_tokens() -> None:
    st.text_area(**_control("special_tokens"), max_chars=1000, height=90)


def _more() -> None:
    left, right = st.columns(2)
    is_authors = _is_authors()
    with left:
        if not is_authors:
            _choice("context", CONTEXTS)
        st.slider(
            t("train.shrink.label"), 0.05, 0.9, step=0.05, format="percent", key=_key("shrink"), persist_state="session"
        )
        if not is_authors:
            _number("min_count", 1, 1000)
        _special_tokens()
    with right:
        if not is_authors:
            _choice("membership", MEMBERSHIPS)
        _number("sub_iterations", 1, 10)
        _number("max_token_bytes", 1, 255, t("train.max_token_bytes.help"))
        _choice("normalization", NORMALIZATIONS)
    for name in () if is_authors else ("sentencepiece_safe", "partial_characters"):
        st.toggle(**_control(name))


def _number(name: str, low: int, high: int, help_text: str | None = None) -> None:
    st.number_input(
        t(f"train.{name}.label"), low, high, step=1, key=_key(name), help=help_text, persist_state="session"
    )


def render_size() -> None:
    control = _control("size", key=_key("vocab_size"))
    st.number_input(**control, min_value=1, max_value=LARGEST_VOCAB, step=500, width=160)


def render_feasible(feasible: tuple[int, int] | None) -> bool:
    """The feasible sizes; returns whether the size is feasible, as far as known."""
    if feasible is None:
        st.caption(t("train.size.computing"))
        return True
    (low, high), size = feasible, st.session_state[_key("vocab_size")]
    if low <= size <= high:
        st.caption(t("train.size.feasible", low=low, high=high))
        return True
    st.warning(t("train.size.infeasible", size=size, low=low, high=high), icon=":material/block:")
    nearest = max(low, min(size, high))
    st.button(t("train.size.nearest", size=nearest), key="train.nearest", on_click=_set_size, args=(nearest,))
    return False


def suggest_size(source: Text) -> None:
    """Set a size that suits the text, unless the visitor or a link has chosen one."""
    chosen, suggested = st.session_state[_key("vocab_size")], suggested_size(source.n_chars)
    # Only what is new: a size that is set replaces what has been typed meanwhile.
    if st.session_state.get(_SUGGESTED) == chosen != suggested:
        st.session_state[_SUGGESTED] = suggested
        _set_size(suggested)


def _set_size(size: int) -> None:
    st.session_state[_key("vocab_size")] = size


def example_pieces(source: Text, settings: TrainingSettings) -> list[str]:
    """A sentence of the corpus as the pre-tokenizer cuts it; none if it is learned when training begins.

    Raises
    ------
    InputError : the user's pattern is invalid or too slow.
    """
    if is_learned(settings.pretokenizer):
        return []
    return get_pretokenizer(settings.pretokenizer).split(normalize(_example(source), settings.normalization))


def render_effect(source: Text, settings: TrainingSettings) -> None:
    """The effect of normalization and pre-tokenization, on an example from the corpus."""
    pieces = example_pieces(source, settings)
    st.caption(t("train.pretokenizer.example") if pieces else t("train.pretokenizer.learned"))
    if pieces:
        st.code(" | ".join(map(visible_space, pieces)), language=None, wrap_lines=True)
    if settings.normalization != "none":
        n_lines, changes = normalization_changes(source.lines(), settings.normalization, _MAX_CHANGES)
        words = ", ".join(plain(change.before) for change in changes)
        changed = t("train.normalization.changed", lines=n_lines)
        st.caption(f"{changed} {words}" if n_lines else t("train.normalization.unchanged"))


def _example(source: Text) -> str:
    """The first sentence long enough to show an effect."""
    lines = [line for line in source.lines() if line]
    return next((line for line in lines if 25 <= len(line) <= 60), lines[0][:60])
