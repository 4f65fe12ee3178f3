"""A small corpus to step through: one from the lessons, or the visitor's own words."""

from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from app.parts.choices import example_choice, url_slider
from app.parts.problem import reason
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.corpora import Text, builtin_corpus, own_text
from app.texts.i18n import language, t
from app.toys.corpus import MAX_CHARACTERS, MAX_WORD, MAX_WORDS, count_words, read_toy_corpus, shorten
from engine.errors import InputError

# Files of assets/corpora/toy, one corpus per lesson.
LESSONS = ("low_slides", "low_lesson", "low_textbook", "hug")
# Stems of several characters, which the first merges turn into tokens.
_KOREAN = "달리다:5 달리고:4 달리면:3 달리기:2 마시다:4 마시고:3 마시면:2"
_STEMS = "walk:5 walks:3 walked:4 walking:6 talks:2 talked:3 talking:4"
_ENDINGS = "먹었다:6 먹는다:3 읽었다:4 읽는다:5 읽고:3 먹고:4 웃었다:2"
_UNAFFABLE = "unaffable:2 unable:4 affable:3 table:5 cable:3 quiet:6 quick:4 the:9 this:5 thin:3"

# Default words to segment with each preset's merges.
TO_SEGMENT = {
    "low_slides": "slow now",
    "low_lesson": "lowest",
    "low_textbook": "lowest newer",
    "hug": "bugs mug",
    "korean": "마시기",
    "stems": "stalking",
    "endings": "웃는다 먹었고",
    "unaffable": "unaffable",
}

# The fragment of the presets, which runs when the visitor pauses.
PRESETS = "toy.presets"
_MAX_TYPED, _MAX_LENGTH = 8, 24

# Number of words kept of a longer text.
_MAX_KEPT = 40


def lesson_words(name: str) -> str:
    """The words of a lesson as one line: `low:5 lowest:2`."""
    counts = read_toy_corpus(builtin_corpus("toy", (name,)).read())
    return words_text(counts).read()


def presets() -> dict[str, str]:
    lessons = {name: lesson_words(name) for name in LESSONS}
    return {**lessons, "korean": _KOREAN, "stems": _STEMS, "endings": _ENDINGS, "unaffable": _UNAFFABLE}


def render_words_field(page: str, default: str, then: Sequence[str], live: Sequence[str] = ()) -> None:
    """The field for the words; `words` in the URL, where PRESETS puts it."""
    live_field(_words(page, default), t("toy.words"), then=(PRESETS, *then), live=live, help=t("toy.words_help"))


@fragment(key=PRESETS)
def render_presets(page: str, default: str, on_preset: Callable[[str], None], explained: Collection[str] = ()) -> None:
    """The presets, and what is to be seen in the current one. Call it after `render_words_field`.

    Parameters
    ----------
    on_preset : called with the name of a selected preset.
    explained : presets that the page itself explains further.
    """
    text, known = _words(page, default), presets()
    text.publish(text.adopt())

    def use(name: str) -> None:
        text.set(known[name])
        on_preset(name)
        st.rerun()

    name = preset_of(text.value)
    example_choice(f"{page}.preset", {name: t(f"toy.preset.{name}") for name in known}, use, name or None)
    if name and name not in explained:
        st.caption(t(f"toy.about.{name}"))


def usable_words(page: str, default: str, says: bool = True) -> dict[str, int]:
    """The words of the field with their counts; none, and the reason if it `says` so, where they cannot be used."""
    try:
        return _few(count_words(_words(page, default).value), says)
    except InputError as error:
        if says:
            st.warning(t("toy.refused"), icon=":material/edit:")
            st.text(reason(error))
        return {}


def words_text(words: Mapping[str, int]) -> Text:
    """The words as a text of one line, as in the field: `low:5 lowest:2`."""
    return own_text(" ".join(f"{word}:{count}" for word, count in words.items()))


def _words(page: str, default: str) -> UrlValue[str]:
    return url_text("words", _key(page), presets()[in_language(default)])


def in_language(preset: str) -> str:
    """The preset that a page opens with in the session's language, given that of other languages."""
    return "korean" if language() == "ko" else preset


def _key(page: str) -> str:
    return f"{page}.words"


def word_to_segment(page: str, preset: str) -> UrlValue[str]:
    """`word` in the URL; by default the one that goes with a preset."""
    return url_text("word", f"{page}.word", TO_SEGMENT[in_language(preset)])


def render_words_to_segment(word: UrlValue[str]) -> list[str]:
    """The field for words to segment, with a note if there are too many or too long ones."""
    typed = live_field(word, t("learn_bpe.word"), most=200, has_lines=False, help="")
    words = [one[:_MAX_LENGTH] for one in typed.split()][:_MAX_TYPED]
    if not words:
        st.info(t("learn_bpe.word_empty"), icon=":material/edit:")
    elif words != typed.split():
        st.caption(t("learn_bpe.word_cut", words=_MAX_TYPED, length=_MAX_LENGTH))
    return words


def follow_preset(name: str, word: UrlValue[str], examples: Collection[str] = ()) -> None:
    if word.value in {"", *TO_SEGMENT.values(), *examples}:
        word.set(TO_SEGMENT[name])


def chosen_preset(page: str) -> str:
    """The preset of the page's words; empty for the visitor's own."""
    return preset_of(st.session_state.get(_key(page), ""))


def merges_slider() -> int:
    """Number of merges; `merges` in the URL."""
    return url_slider("merges", t("learn_bpe.merges"), 1, 40, 8)


def preset_of(text: str) -> str:
    return next((name for name, words in presets().items() if words == text), "")


def _few(words: dict[str, int], says: bool) -> dict[str, int]:
    """The words, or the most frequent ones if there are too many, with a note on what was left out if it `says` so."""
    short = shorten(words, len(words))
    if len(short.words) > MAX_WORDS or sum(map(len, short.words)) > MAX_CHARACTERS:
        short = shorten(words, _MAX_KEPT)
        if says:
            st.info(t("toy.cut", count=len(words), kept=len(short.words)), icon=":material/content_cut:")
    if not short.words:
        if not words:
            raise InputError("toy.empty")
        raise InputError("toy.all_long", most=MAX_WORD)
    if short.n_long and says:
        st.info(t("toy.long", count=short.n_long, longest=MAX_WORD), icon=":material/content_cut:")
    return short.words
