"""The morphemes of the current text, below its strips: from an analyser, with manual corrections.

look = render_look()                            # the switch and its options; None if it is off
sight = look and sight_of("explore", look, text)
render_readings("explore", sight)
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.components.data import StripRow
from app.parts.choices import action_button, url_choice, url_row, url_toggle
from app.parts.data_table import download_csv, headings
from app.parts.problem import reason, show_problem
from app.parts.tables.morphemes import analyses_table, beginning_of, class_examples, class_table, morpheme_row
from app.parts.tables.segmentation import Segmentation, TextPart
from app.parts.texts.upload import Upload, render_file_field, upload_key
from app.parts.tokenizers.job_progress import awaited
from app.server.remember import loading_name, note_use, remember
from app.server.work.reading import analyse_with_dictionary, read_text_file
from app.session import state
from app.session.models import ActiveTokenizer
from app.session.url import UrlValue
from app.texts.corpora import own_text
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.morphemes.analysers import ANALYSERS, best_analyses, installed_analysers, text_morphemes
from engine.corpus.morphemes.morpheme import AS_WRITTEN, Morpheme, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import UserDictionary, parse_user_dictionary
from engine.corpus.reading.lines import split_lines
from engine.errors import InputError
from engine.measure.morphemes.analysis import Analysis, morpheme_analysis
from engine.measure.morphemes.corrections import corrected, reading_of
from engine.measure.morphemes.tags import SEJONG_TAGS
from engine.measure.morphemes.token_classes import CLASSES, token_classes
from engine.measure.words import word_spans

_FILE = "morpheme.dictionary"
_Lines = tuple[str, ...]  # of a dictionary, not yet read for an analyser


def render_own_dictionary(analyser: str) -> None:
    """The field for the file, and what is in use."""
    with st.popover(t("morpheme.dictionary.button"), icon=":material/dictionary:", key="morpheme.dictionary.form"):
        try:
            label, help_text = t("morpheme.dictionary.file"), t("morpheme.dictionary.help")
            upload = render_file_field(label, _FILE, _read, help=help_text)
            if upload is not None:
                count = len(_dictionary_of(upload.content, analyser).words)
                st.caption(t("morpheme.dictionary.active", name=plain(upload.name), count=count))
        except InputError as error:
            show_problem(t("morpheme.dictionary.refused"), error)


def _read(files: Sequence[UploadedFile]) -> _Lines:
    return tuple(split_lines(read_text_file(files[0].getvalue(), state.visitor())))


def _dictionary_of(lines: _Lines, analyser: str) -> UserDictionary:
    tags = ANALYSERS[analyser].user_tags
    return remember("dictionary", (lines, analyser), lambda: parse_user_dictionary(lines, tags))


def own_dictionary(analyser: str) -> UserDictionary | None:
    """The visitor's dictionary; None if there is none that fits this one of ANALYSERS."""
    upload: Upload[_Lines | InputError] | None = st.session_state.get(upload_key(_FILE))
    if upload is None or isinstance(upload.content, InputError):
        return None
    try:
        return _dictionary_of(upload.content, analyser)
    except InputError:  # the field says why
        return None


def own_morphemes(text: str, analyser: str) -> list[Morpheme]:
    """The morphemes of a text, with the visitor's dictionary if there is one.

    Raises
    ------
    InputError : the analyser refuses the dictionary, or the worker that uses it was stopped.
    """
    dictionary = own_dictionary(analyser)
    if dictionary is None:
        return text_morphemes(text, analyser)
    with st.spinner(t("morpheme.dictionary.analysing")):
        return analyse_with_dictionary(text, analyser, dictionary, 1, state.visitor())[0].morphemes


def own_analyses(line: str, analyser: str, limit: int) -> list[ScoredAnalysis]:
    """Several analyses of one line, with the visitor's dictionary if there is one; raises as `own_morphemes`."""
    dictionary = own_dictionary(analyser)
    if dictionary is None:
        return best_analyses(line, analyser, limit)
    with st.spinner(t("morpheme.dictionary.analysing")):
        return analyse_with_dictionary(line, analyser, dictionary, limit, state.visitor())


# Characters analysed, in a quarter of a second; eojeols that can be corrected; characters of all corrections in a link,
# and of one.
_MAX_CHARS, _MAX_EOJEOLS, _MAX_READINGS, _MAX_READING = 20_000, 200, 1500, 200
_N_EXAMPLES = 6
_READING = re.compile(r"([0-9]{1,3}):(.+)")


class LayerOptions(NamedTuple):
    """The analyser, a key of ANALYSERS, and whether tokens are coloured by their class."""

    analyser: str
    by_class: bool = False


class MorphemeLayer(NamedTuple):
    """The morphemes of a text.

    Attributes
    ----------
    options : the analyser, and whether tokens are coloured by class.
    text : what was analysed: the beginning of the text in view.
    is_whole : whether that is all of it.
    own : the analyser's morphemes.
    morphemes : with manual corrections.
    refused : invalid corrections, by eojeol.
    by_hand : corrected eojeols, as code points (begin, end).
    analysis : the morphemes as arrays.
    """

    options: LayerOptions
    text: str
    is_whole: bool
    own: list[Morpheme]
    morphemes: list[Morpheme]
    refused: dict[int, InputError]
    by_hand: frozenset[tuple[int, int]]
    analysis: Analysis

    @property
    def title(self) -> str:
        return ANALYSERS[self.options.analyser].title

    def row(self, part: TextPart) -> StripRow:
        name, note = t("strips.layer.morphemes"), ANALYSERS[self.options.analyser].name
        return morpheme_row(self.morphemes, part, name, note, tag_meaning, self.by_hand)

    def classes(self, segmentation: Segmentation) -> np.ndarray:
        """int8[n_tokens]: the class of each token of the text, of which only the beginning may be analysed."""
        return token_classes(segmentation.byte_begin, segmentation.byte_end, self.analysis)


def render_layer_options() -> LayerOptions | None:
    """The switch; where it is on, which analyser, and whether tokens are coloured."""
    analyser = analyser_choice() if row_switch() else None
    if analyser is None:
        return None
    by_class = url_toggle("colours", t("morpheme.colours"), t("morpheme.colours_help"))
    render_own_dictionary(analyser)
    return LayerOptions(analyser, by_class)


def row_switch() -> bool:
    """Whether the morphemes stand under the strips; `morphemes` in the URL."""
    return url_toggle("morphemes", t("strips.layer.morphemes"), t("morpheme.switch_help"))


def analyser_choice() -> str | None:
    """One of the installed analysers, `analyser` in the URL; None, with a hint on what to install, if there is none."""
    names = {key: ANALYSERS[key].name for key in installed_analysers()}
    if not names:
        st.info(t("morpheme.none", packages=", ".join(one.package for one in ANALYSERS.values())))
        return None
    first = next(iter(names))
    return url_choice("analyser", t("morpheme.analyser"), names, first) if len(names) > 1 else first


def is_ready(analyser: str) -> bool:
    """Whether a slow analyser has been loaded; otherwise it is being loaded, and the page says so."""
    program = ANALYSERS[analyser]
    if not program.is_slow_to_load:
        return True
    waiting = t("morpheme.loading", name=program.name)
    name = loading_name(analyser)
    if awaited(name, None, lambda: bool(program.morphemes("가", AS_WRITTEN)), waiting, program.name) is None:
        return False
    note_use(analyser)
    return True


def layer_of(page: str, options: LayerOptions, text: str, may_correct: bool = True) -> MorphemeLayer | None:
    """The morphemes of a text; None while the analyser is being loaded.

    Parameters
    ----------
    page : part of the keys of its corrections.
    may_correct : whether the link's corrections belong to this text.
    """
    if not is_ready(options.analyser):
        return None
    seen = beginning_of(text, _MAX_CHARS)
    try:
        own = _analysed(page, options.analyser, seen)
    except InputError as error:  # of a user dictionary
        show_problem(ANALYSERS[options.analyser].name, error)
        return None
    readings = _readings_of(page, text) if may_correct else {}
    morphemes, refused = corrected(seen, own, readings)
    spans = word_spans(seen, "eojeol")
    by_hand = frozenset(spans[number] for number in readings if number < len(spans) and number not in refused)
    analysis = morpheme_analysis([seen], [morphemes])
    return MorphemeLayer(options, seen, len(seen) == len(text), own, morphemes, refused, by_hand, analysis)


def _analysed(page: str, analyser: str, text: str) -> list[Morpheme]:
    """The morphemes of the page's text, cached in the session until another text is analysed."""
    dictionary = own_dictionary(analyser)
    key = (analyser, text, dictionary and dictionary.digest)
    return remember(f"{page}.analysed", key, lambda: own_morphemes(text, analyser), 1)


def tag_meaning(tag: str) -> str:
    """Meaning of the tag of one or several morphemes."""
    return " + ".join(t(f"morpheme.tag.{part}") if part in SEJONG_TAGS else part for part in tag.split("+"))


def render_about(layer: MorphemeLayer) -> None:
    """Who has found the morphemes, of how much of the text, and that nobody has checked them."""
    parts = [t("morpheme.silver", program=layer.title)]
    if not layer.is_whole:
        parts.append(t("morpheme.beginning", count=len(layer.text)))
    if layer.by_hand:
        parts.append(t("morpheme.by_hand", count=len(layer.by_hand)))
    st.caption(" ".join(parts))


def render_class_counts(
    key: str, layer: MorphemeLayer, shown: Sequence[ActiveTokenizer], cut: Sequence[Segmentation]
) -> None:
    """How many tokens of each tokenizer are a morpheme, a stem with its ending, ..., and which."""
    classes = [layer.classes(one) for one in cut]
    table = class_table([active.title for active in shown], classes)
    column = st.column_config
    names = {"name": column.TextColumn(t("strips.column.name"), pinned=True)} | {
        name: column.NumberColumn(t(f"strips.class_{name}"), format="localized", help=t(f"morpheme.help.{name}"))
        for name in CLASSES
    }
    st.markdown(f"**{t('morpheme.counts')}**")
    st.dataframe(table, hide_index=True, column_order=list(names), column_config=names, key=f"{key}.classes")
    with st.expander(t("morpheme.examples"), icon=":material/list:"):
        for active, one, own in zip(shown, cut, classes, strict=True):
            lines = class_examples(active.model, one, own, _N_EXAMPLES)
            told = [f"- {t(f'strips.class_{name}')}: {plain(line)}" for name, line in zip(CLASSES, lines, strict=True)]
            st.markdown(f"**{plain(active.title)}**\n" + "\n".join(line for line in told if not line.endswith(": ")))
        download_csv(f"{key}-classes", lambda: table, of=lambda: own_text(layer.text))


# ---- corrections


def _decode(packed: str) -> dict[int, str] | None:
    """Readings by index of the eojeol, from 0; the URL counts from 1."""
    text = (state.unpack_text(packed) or "")[:_MAX_READINGS]
    matches = [match for part in text.split() if (match := _READING.fullmatch(part)) and int(match[1])]
    return {int(match[1]) - 1: match[2][:_MAX_READING] for match in matches} or None


def _encode(readings: dict[int, str]) -> str | None:
    if not readings:
        return None
    text = " ".join(f"{number + 1}:{reading}" for number, reading in sorted(readings.items()))
    return state.pack_text(text) if len(text) <= _MAX_READINGS else None


def _url_value(page: str) -> UrlValue[dict[int, str]]:
    return UrlValue("readings", f"{page}.readings", _decode, _encode, {})


def _readings_of(page: str, text: str) -> dict[int, str]:
    """The corrections of this text; they are dropped when the text changes."""
    value, key = _url_value(page), f"{page}.readings_of"
    value.adopt()
    if st.session_state.setdefault(key, text) != text:
        value.set({})
    st.session_state[key] = text
    value.publish(value.value)
    return value.value


def render_readings(page: str, layer: MorphemeLayer) -> None:
    """What could not be taken, and the fields in which an eojeol's reading is put right."""
    spans = word_spans(layer.text, "eojeol")[:_MAX_EOJEOLS]
    for number, error in layer.refused.items():
        st.warning(plain(t("morpheme.refused", number=number + 1, why=reason(error))), icon=":material/edit_off:")
    value = _url_value(page)
    with st.expander(t("morpheme.correct"), icon=":material/edit:", expanded=bool(value.value)):
        if not spans:
            return
        st.markdown(t("morpheme.correct_help"))
        left, right = st.columns([1, 2], vertical_alignment="bottom")
        with left:
            titles = [f"{k}. {layer.text[begin:end]}" for k, (begin, end) in enumerate(spans, start=1)]
            number = url_row("eojeol", t("morpheme.eojeol"), titles)
        begin, end = spans[number]
        own = reading_of([one for one in layer.own if begin <= one.begin and one.end <= end])
        key = f"{page}.reading.{number}"
        st.session_state[key] = value.value.get(number, own)

        def take() -> None:
            typed = "".join(st.session_state[key].split())
            others = {at: reading for at, reading in value.value.items() if at != number}
            value.set(others | {number: typed} if typed and typed != own else others)

        with right:
            st.text_input(t("morpheme.reading"), key=key, max_chars=_MAX_READING, on_change=take)
        label, is_on = t("morpheme.back"), bool(value.value)
        action_button(label, f"{page}.readings.clear", ":material/undo:", value.set, {}, is_on=is_on)
        if value.value and _encode(value.value) is None:
            st.caption(t("morpheme.too_many"))


_EACH, _MAX_SENTENCE = 5, 300


def render_analyses(layer: MorphemeLayer) -> None:
    """A table: analyser, rank, score and morphemes, those that the best analysis does not have in brackets."""
    with st.expander(t("morpheme.several"), icon=":material/alt_route:"):
        sentence = layer.text.split("\n", 1)[0][:_MAX_SENTENCE]
        if not sentence.strip():
            return
        st.caption(t("morpheme.several_help"))
        if len(sentence) < len(layer.text):
            st.caption(t("morpheme.several_long", count=len(sentence)))
        found: dict[str, list[ScoredAnalysis]] = {}
        for analyser in installed_analysers():
            program = ANALYSERS[analyser]
            if program.is_slow_to_load and analyser != layer.options.analyser and not program.is_loaded():
                st.caption(t("morpheme.several_load", name=program.name))
                continue
            try:
                found[program.name] = _analyses(sentence, analyser)
            except InputError as error:
                show_problem(program.title, error)
        table = analyses_table(found)
        wide = st.column_config.TextColumn(width="large")
        columns = headings("morpheme.several_column", analyser="", rank="", score="%.2f", analysis=wide)
        st.dataframe(table, hide_index=True, column_config=columns, placeholder="–")
        download_csv("morpheme-analyses", lambda: table, of=lambda: own_text(sentence))


def _analyses(sentence: str, analyser: str) -> list[ScoredAnalysis]:
    dictionary = own_dictionary(analyser)
    key = (sentence, analyser, dictionary and dictionary.digest)
    return remember("analyses", key, lambda: own_analyses(sentence, analyser, _EACH))
