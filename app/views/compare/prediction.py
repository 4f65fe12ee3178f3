"""Which tokenizer's tokens are easier to predict: an n-gram language model over each, on held-out lines."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.data_table import download_csv, draw_table, headings, in_bold, say_bold
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout, render_figure
from app.parts.tokenizers.active_model import active_tokenizer
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.server.remember import remember
from app.session.models import ActiveTokenizer
from app.session.titles import text_title
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.measure.best import ties_with_best
from engine.measure.encoded import encode_lines, units_per_line
from engine.measure.intrinsic import round_trip
from engine.measure.result import bootstrap_ratio
from engine.measure.token_ngrams import bits_per_character, predicted_bits
from engine.tokenizer import Tokenizer

# One line in ten is held out. A long text is sampled evenly, so that a click takes less than a second.
_HELD_BACK = 10
_MAX_CHARACTERS = 200_000


class LineSplit(NamedTuple):
    """Lines to count n-grams in, and lines to predict."""

    training: list[str]
    held_back: list[str]


class Prediction(NamedTuple):
    """Bits (float64[n_lines]) and tokens (int64[n_lines]) of each held-out line."""

    bits: np.ndarray
    tokens: np.ndarray


_MAX_KEPT = 24


def render_prediction(view: Layout) -> None:
    """Bits per character under the model over each tokenizer's tokens: tokens, and bits per token."""
    shown = render_tokenizer_set(view, ("byte-bpe", "unigram"))
    with view.picture:
        active = active_tokenizer()
        if active.lacks_text:
            st.caption(t("own_text.needed"))
            return
        _render_predicted(view, shown, active.text)


def _render_predicted(view: Layout, shown: Sequence[ActiveTokenizer], source: Text) -> None:
    split = remember("prediction.lines", source.digest, lambda: split_lines(source.sentences()))
    if not split.held_back:
        st.info(t("compare.prediction_short"), icon=":material/format_list_numbered:")
        return
    found = [_predicted(one, source, split) for one in shown]
    names = [f"{k}. {active.title}" for k, active in enumerate(shown, start=1)]
    lossy = [plain(name) for name, one in zip(names, found, strict=True) if one is None]
    if lossy:
        st.caption(t("compare.prediction_lossy", names=", ".join(lossy)))
    readable = {name: one for name, one in zip(names, found, strict=True) if one is not None}
    if readable:
        table = prediction_table(readable, split.held_back)
        what, title = t("compare.column.bits_per_character"), t("compare.prediction_title")
        bars = table.assign(kind=what)
        figure = grouped_bars_figure(bars, "name", "kind", "bits_per_character", title, what, language())
        render_figure(figure, "compare.prediction", title)
        with view.sections:
            _render_bits(table, split, source)


def _predicted(active: ActiveTokenizer, source: Text, split: LineSplit) -> Prediction | None:
    waiting = t("compare.prediction_waiting", name=plain(active.title))
    return remember(
        "prediction", (active.sha256, source.digest), lambda: predicted(active.model, split), _MAX_KEPT, waiting=waiting
    )


def _render_bits(table: pd.DataFrame, split: LineSplit, source: Text) -> None:
    text = plain(text_title(source.id, source))
    st.caption(t("compare.prediction_text"))
    st.caption(t("compare.prediction_note", text=text, lines=len(split.held_back), training=len(split.training)))
    change = "%+.1f%%"
    interval = headings("compare.column", low=change, high=change)
    columns = headings("compare.column", name="", bits_per_character="%.3f", low="%.3f", high="%.3f", change=change)
    columns |= {f"change_{end}": column for end, column in interval.items()}
    columns |= headings("compare.column", tokens="", bits_per_token="%.2f")
    is_best = table[["best"]].set_axis(["bits_per_character"], axis=1)
    draw_table(in_bold(table, is_best), columns, "compare.predicted")
    say_bold(is_best)
    download_csv("prediction", lambda: table, of=source, bold=is_best)


def split_lines(lines: Sequence[str]) -> LineSplit:
    """Hold out every tenth line; a long text is first thinned out evenly."""
    step = max(1, -(-sum(map(len, lines)) // _MAX_CHARACTERS))
    kept = lines[::step]
    return LineSplit(
        [line for i, line in enumerate(kept) if (i + 1) % _HELD_BACK], list(kept[_HELD_BACK - 1 :: _HELD_BACK])
    )


def predicted(tokenizer: Tokenizer, split: LineSplit) -> Prediction | None:
    """The held-out lines under a model of the training lines; None if the tokenizer is not lossless on them.

    Text that a vocabulary cannot represent need not be predicted, so the figure would be of an easier text.
    """
    held_back = encode_lines(tokenizer, split.held_back)
    if round_trip(held_back).value < 1:
        return None
    return Prediction(predicted_bits(encode_lines(tokenizer, split.training), held_back), held_back.per_line)


def prediction_table(found: Mapping[str, Prediction], lines: Sequence[str]) -> pd.DataFrame:
    """One row per tokenizer, by name.

    Columns: name, bits_per_character, low, high, change, change_low, change_high (in percent of the first, over the
    same lines), tokens, bits_per_token, best (ties with the fewest bits).
    """
    first = next(iter(found.values()))[0]
    characters = units_per_line(lines, "characters") + 1
    (ties,) = ties_with_best([[np.column_stack([bits, characters]) for bits, _ in found.values()]], is_lowest=True)
    rows = []
    for (name, (bits, tokens)), own in zip(found.items(), ties, strict=True):
        measure = bits_per_character(bits, lines)
        nothing = (float("nan"), float("nan"))
        is_first = bits is first
        low, high = (None if is_first else bootstrap_ratio(bits, first)) or nothing
        rows.append(
            {
                "name": name,
                "bits_per_character": measure.value,
                **dict(zip(("low", "high"), measure.interval or nothing, strict=True)),
                "change": float("nan") if is_first else 100 * (bits.sum() / first.sum() - 1),
                "change_low": 100 * (low - 1),
                "change_high": 100 * (high - 1),
                "tokens": int(tokens.sum()),
                "bits_per_token": bits.sum() / (tokens.sum() + len(lines)),
                "best": own.is_best,
            }
        )
    return pd.DataFrame(rows)
