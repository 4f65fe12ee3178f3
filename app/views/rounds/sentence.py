"""The sentence that the rounds segment: its field, its strips around the current round, and those of all rounds."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.components.data import Place, StripRow
from app.components.pictures import token_strip
from app.parts.choices import ROUND, example_choice
from app.parts.data_table import render_data
from app.parts.tables.rounds import RoundRange, most_changed, neighbours, pieces_row
from app.parts.tables.segmentation import TextPart
from app.parts.tables.tokens import visible
from app.parts.texts.live_field import live_field
from app.parts.tokens.example_token import MAX_SENTENCE, SENTENCE, current_sentence, segmented
from app.parts.tokens.morpheme_layer import LayerOptions, layer_of, render_about
from app.parts.tokens.token_field import LIFE, follow_token
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import t
from app.texts.presets import PRESETS
from engine.corpus.normalize import normalize
from engine.unigram.model.model import token_label

_PRESETS = ("that_thing", "lunch", "korea", "horse")
# What follows the keys.
_FIELD, STRIPS = "rounds.field", "rounds.live_strips"
_NO_ROUND = -1
_OWN_LABELS = ("title", "ringed", "mark")


def current_round() -> int:
    """For the fragments that follow the round; their page has put it in the range of the model."""
    return int(st.session_state[ROUND])


@fragment(key=_FIELD, waits=False)
def render_field() -> None:
    """The field, which the strips of `render_strips` follow, and LIFE when the visitor pauses."""
    label = t("rounds.sentence.label")
    live_field(SENTENCE, label, live=(_FIELD, STRIPS), then=(LIFE,), most=MAX_SENTENCE, has_lines=False)


def render_examples(active: ActiveModel) -> None:
    """Examples for the field, the first of which is looked for in the model's text."""

    def use(name: str) -> None:
        sentence = PRESETS.get(name) or most_changed(active.model, active.text.lines(), MAX_SENTENCE)
        SENTENCE.set(sentence or SENTENCE.default)

    current = next((name for name in _PRESETS if PRESETS[name] == current_sentence()), None)
    names = {"most_changed": t("rounds.sentence.most_changed"), **{name: PRESETS[name] for name in _PRESETS}}
    example_choice("rounds.example", names, use, current)


@fragment(key=STRIPS, waits=False)
def render_strips(active: ActiveModel, options: LayerOptions | None, token: int) -> None:
    """The sentence as the round cuts it, between neighbours that differ, and as the last round does.

    Nothing in a round whose tokens the model does not keep.

    Parameters
    ----------
    options : of the morphemes below, if they are shown.
    token : row of the token in view, drawn as selected.
    """
    number = current_round()
    if number < active.model.first_round:
        return
    sentence = current_sentence()
    if not sentence:
        st.caption(t("rounds.sentence.empty"))
        return
    chars, ranges = segmented(active, sentence)
    layer = options and layer_of("rounds", options, normalize(sentence, active.model.normalization), may_correct=False)
    below = [layer.row(TextPart(0, 0, 0, len(chars)))] if layer else []
    _draw(active, "rounds.strips", chars, neighbours(ranges, number), number, token, below)
    if layer:
        render_about(layer)


def render_all_rounds(active: ActiveModel, token: int) -> None:
    """The strips of all rounds, and their table; nothing without a sentence."""
    sentence = current_sentence()
    if not sentence:
        return
    st.header(t("rounds.sentence.heading"))
    chars, ranges = segmented(active, sentence)
    _draw(active, "rounds.all_strips", chars, ranges, _NO_ROUND, token)
    st.caption(t("rounds.sentence.note"))
    segmentations = pd.DataFrame(
        {
            "rounds": [_span(span) for span in ranges],
            "tokens": [len(span.pieces) for span in ranges],
            "segmentation": [" | ".join(visible(piece.label) for piece in span.pieces) for span in ranges],
        }
    )
    columns: dict[str, Any] = {name: t(f"rounds.column.{name}") for name in segmentations.columns}
    render_data("sentence-rounds", segmentations, columns, of=active)


def _draw(
    active: ActiveModel,
    key: str,
    chars: Sequence[str],
    ranges: Sequence[RoundRange],
    number: int,
    token: int,
    below: Sequence[StripRow] = (),
) -> None:
    """One row for each range; a click puts a token into view."""

    def pick(place: Place) -> None:
        if place.row < len(ranges):
            row = ranges[place.row].pieces[place.token].row
            follow_token(visible(token_label(active.model.tokens[row])))

    token_strip(
        key,
        [*(_strip_row(span, number) for span in ranges), *below],
        pick,
        chars=chars,
        selected=_place_of(ranges, number, token),
        show_help=False,
        count_title=t("rounds.column.tokens"),
        labels={name: t(f"rounds.strip.{name}") for name in _OWN_LABELS},
        lang=TEXT_LANGUAGE,
    )


def _place_of(ranges: Sequence[RoundRange], number: int, token: int) -> Place | None:
    """A token in the current round's row, or in another."""
    places = [
        (span.first <= number <= span.last, Place(row, index))
        for row, span in enumerate(ranges)
        for index, piece in enumerate(span.pieces)
        if piece.row == token
    ]
    return max(places, key=lambda one: one[0], default=(False, None))[1]


def _span(span: RoundRange) -> str:
    return str(span.first) if span.first == span.last else f"{span.first}–{span.last}"


def _strip_row(span: RoundRange, number: int) -> StripRow:
    is_now = span.first <= number <= span.last
    name = t("rounds.strip.round" if span.first == span.last else "rounds.strip.rounds", span=_span(span))
    row = pieces_row(span.pieces, ("▶ " if is_now else "") + name, t("rounds.strip.now") if is_now else "")
    return {**row, "count": str(len(span.pieces))}
