"""In place of the lattice, for a model that merges: the tokens of one word after each merge."""

from itertools import pairwise

import pandas as pd
import streamlit as st

from app.components.data import StripRow
from app.components.pictures import token_strip
from app.parts.data_table import render_data
from app.parts.layout import Layout
from app.parts.tables.segmentation import TextPart, segmentation_of
from app.parts.tables.strips import strip_chars, token_row
from app.session.models import ActiveTokenizer
from app.session.url import UrlValue, whole_number
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from engine.corpus.normalize import text_of_spans
from engine.tokenizer import MergeStep, Tokenizer

_MOST_ROWS = 16
# The word whose merges are drawn, from 1; by default the first that has some.
_WORD: UrlValue[int | None] = UrlValue("word", "lattice.word", whole_number, str, None)
_OF = "lattice.word_of"


def render_merges(view: Layout, active: ActiveTokenizer, text: str, words: list[list[MergeStep]]) -> None:
    """The merges of a word, one row each, and the choice of the word.

    Parameters
    ----------
    words : what `Tokenizer.merge_steps` returns for the text.
    """
    text = text_of_spans(text, active.model.normalization)
    if not words:
        with view.picture:
            st.info(t("lattice.nothing" if text else "lattice.empty"))
        return
    parts = [_part(steps[-1], text) for steps in words]
    names = [visible_space(text[part.begin : part.end]) for part in parts]
    with view.scrubber:
        word = _choose(names, words, (active.sha256, text))
        left_out = max(0, len(words[word]) - _MOST_ROWS)
        st.caption(t("lattice.merges.about", name=plain(active.title)))
        if left_out:
            st.caption(t("lattice.merges.left_out", n=left_out))
    with view.picture:
        token_strip(
            "lattice.merges",
            merge_rows(active.model, text, parts[word], words[word]),
            chars=strip_chars(text, parts[word]),
            count_title=t("strips.column.tokens"),
            lang=TEXT_LANGUAGE,
        )
    with view.sections:
        table = merge_table(active.model, words)
        render_data("merges", table, {name: t(f"lattice.merges.column.{name}") for name in table.columns}, of=active)


def _choose(names: list[str], words: list[list[MergeStep]], shown: tuple[str, str]) -> int:
    """The place of the chosen word."""
    _WORD.adopt()
    if st.session_state.setdefault(_OF, shown) != shown:
        _WORD.set(None)
    st.session_state[_OF] = shown
    first = next((place for place, steps in enumerate(words) if len(steps) > 1), 0)
    if _WORD.value is None or not 1 <= _WORD.value <= len(words):
        _WORD.set(first + 1)
    st.pills(
        t("lattice.merges.word"),
        range(1, len(names) + 1),
        format_func=["", *map(plain, names)].__getitem__,
        key=_WORD.key,
        required=True,
        persist_state="session",
        wrap=True,
    )
    chosen = _WORD.value or first + 1
    _WORD.publish(None if chosen == first + 1 else chosen)
    return chosen - 1


def _part(step: MergeStep, text: str) -> TextPart:
    if not step.encoding.ids:
        return TextPart(0, 0, 0, 0)
    found = segmentation_of(step.encoding, text)
    return TextPart(0, found.ids.size, int(found.begin[0]), int(found.end[-1]))


def merge_rows(model: Tokenizer, text: str, part: TextPart, steps: list[MergeStep]) -> list[StripRow]:
    """The symbols of a word, then its tokens after each merge, the merged one marked; of many, the last."""
    rows = []
    shown = [(None, steps[0]), *list(pairwise(steps))[1 - _MOST_ROWS :]]
    for before, step in shown:
        encoding = step.encoding
        row = token_row(
            model,
            segmentation_of(encoding, text),
            part._replace(last=len(encoding.ids)),
            t("lattice.merges.number", number=step.number) if before else t("lattice.merges.start"),
            "",
            count=f"{len(encoding.ids):,}",
        )
        if before:
            row["tokens"][_merged_at(before, step)]["kind"] = "new"
        rows.append(row)
    return rows


def _merged_at(before: MergeStep, after: MergeStep) -> int:
    pairs = zip(before.encoding.ids, after.encoding.ids, strict=False)
    return next(place for place, (was, now) in enumerate(pairs) if was != now)


def merge_table(model: Tokenizer, words: list[list[MergeStep]]) -> pd.DataFrame:
    """Every merge of the sentence; columns word and number (from 1), left, right, token."""
    found = []
    for word, steps in enumerate(words, start=1):
        for before, after in pairwise(steps):
            at = _merged_at(before, after)
            ids = (*before.encoding.ids[at : at + 2], after.encoding.ids[at])
            found.append((word, after.number, *(visible_space(model.token_label(token)) for token in ids)))
    return pd.DataFrame(found, columns=["word", "number", "left", "right", "token"])
