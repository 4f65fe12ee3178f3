"""WordPiece's segmenter: longest match in the learned vocabulary, or in the visitor's own tokens."""

from collections.abc import Collection, Sequence

import streamlit as st

from app.components.data import Frame, TableBlock, TokenBox, TokenRow, TokensBlock
from app.parts.choices import example_choice, set_choice, url_choice
from app.parts.tables.learn.merge_frames import quoted
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.toy_words import render_words_to_segment
from app.parts.url_stepper import url_stepper
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.texts.catalogue import translate
from app.texts.i18n import language, t
from app.toys.merges import MatchStep, max_match_steps
from engine.merge_settings import MergeSettings

# Words to segment by longest match, and a vocabulary for them.
EXAMPLES = {
    "unaffable": ("unaffable", "un una ##ffa ##ble"),
    "unlearnable": ("unhappiness is unlearnable", "un ##happiness is ##learn ##able"),
}
_MORE = url_text("tokens", "learn_bpe.more_tokens", "")


def forget_own_tokens() -> None:
    set_choice("from", "learned")
    _MORE.set("")


def _vocabulary(learned: Collection[str]) -> set[str]:
    """The learned vocabulary plus the visitor's tokens, or only the visitor's tokens."""
    origins = {name: t(f"learn_bpe.from.{name}") for name in ("learned", "own")}
    origin = url_choice("from", t("learn_bpe.from.label"), origins, "learned")
    label, help_text = t(f"learn_bpe.more.{origin}"), t("learn_bpe.more.help")
    written = live_field(_MORE, label, most=400, has_lines=False, help=help_text)
    return {*(learned if origin == "learned" else ()), *written.split()}


@fragment(waits=False)
def render_match(word: UrlValue[str], learned: Collection[str], settings: MergeSettings) -> None:
    """The strings that are looked up for each word; `learned` is the vocabulary of the merges."""
    st.header(t("learn_bpe.match.heading"))
    st.markdown(t("learn_bpe.match.text"))

    def use(name: str) -> None:
        typed, tokens = EXAMPLES[name]
        word.set(typed)
        _MORE.set(tokens)
        set_choice("from", "own")

    shown = next((name for name, typed in EXAMPLES.items() if typed == (word.value, _MORE.value)), None)
    example_choice("learn_bpe.example", {name: t(f"learn_bpe.example.{name}") for name in EXAMPLES}, use, shown)
    words = render_words_to_segment(word)
    vocabulary = _vocabulary(learned)
    if words:
        frames = match_frames(words, vocabulary, settings, language())
        of = (tuple(words), tuple(sorted(vocabulary)), settings)
        url_stepper("at", frames, of, t("learn_bpe.match.heading"))
        st.caption(t("learn_bpe.match.textbook"))


def match_frames(
    words: Sequence[str], vocabulary: Collection[str], settings: MergeSettings, language: str
) -> list[Frame]:
    """A frame for every string that is looked up, and one for the result; `words` are at least one."""
    frames: list[Frame] = []
    results: list[list[str]] = []
    for word in words:
        found: list[str] = []
        for step in max_match_steps(word, vocabulary, settings):
            for attempt in range(1, len(step.tried) + 1):
                frames.append(_attempt(word, results, found, step, attempt, words, settings, language))
            found.append(step.token)
        results.append([settings.unknown] if found[-1] == settings.unknown else found)
    frames.append(_result(words, results, settings.unknown, language))
    return frames


def _attempt(
    word: str,
    results: Sequence[Sequence[str]],
    found: Sequence[str],
    step: MatchStep,
    attempt: int,
    words: Sequence[str],
    settings: MergeSettings,
    language: str,
) -> Frame:
    candidate = step.tried[attempt - 1]
    is_last = attempt == len(step.tried)
    is_found = is_last and step.token != settings.unknown
    outcome = "found" if is_found else "unknown" if is_last else "shorter"
    text = word + settings.end_of_word
    end = step.begin + len(candidate) - (len(settings.continuing) if step.begin else 0)
    now: list[TokenBox] = [{"text": token} for token in found]
    now.append({"text": candidate, "mark": "new" if is_found else "chosen"})
    now += [{"text": character} for character in text[end:]]
    rows: list[TokenRow] = [
        {"label": one, "tokens": [{"text": token} for token in tokens]}
        for one, tokens in zip(words, results, strict=False)
    ]
    rows.append({"label": word, "tokens": now})
    tried = list(step.tried[:attempt])
    is_in = [False] * (attempt - 1) + [is_found]
    answers = {known: translate(f"learn_bpe.match.{'yes' if known else 'no'}", language) for known in (True, False)}
    table: TableBlock = {
        "kind": "table",
        "caption": translate("learn_bpe.match.tried", language),
        "columns": [translate(f"learn_bpe.match.column.{name}", language) for name in ("candidate", "known")],
        "rows": [[one, answers[known]] for one, known in zip(tried, is_in, strict=True)],
        "marks": [{"row": row, "column": 0, "mark": "new" if known else "gone"} for row, known in enumerate(is_in)],
        "width": "half",
    }
    return {
        "title": translate("learn_bpe.match.title", language, number=len(found) + 1, word=quoted(word)),
        "note": translate(
            f"learn_bpe.match.{outcome}", language, token=quoted(candidate), word=quoted(word), unknown=settings.unknown
        ),
        "blocks": [{"kind": "tokens", "rows": rows, "width": "half"}, table],
    }


def _result(words: Sequence[str], results: Sequence[Sequence[str]], unknown: str, language: str) -> Frame:
    rows: list[TokenRow] = [
        {"label": word, "tokens": [{"text": token, "mark": "gone" if token == unknown else None} for token in tokens]}
        for word, tokens in zip(words, results, strict=True)
    ]
    block: TokensBlock = {"kind": "tokens", "rows": rows, "width": "full"}
    values = {"characters": len(" ".join(words)), "words": len(words), "tokens": sum(map(len, results))}
    note = translate("learn_bpe.match.counts", language, **values)
    if any(unknown in tokens for tokens in results):
        note += " " + translate("learn_bpe.match.lost", language, unknown=unknown)
    return {"title": translate("learn_bpe.match.end", language), "note": note, "blocks": [block]}
