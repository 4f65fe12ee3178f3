"""A text under several tokenizers: strips in rows, layers below them, and the figures of each.

shown = render_tokenizer_set()
cut = cut_text("explore", shown, text)  # remembered by the session until the text or a tokenizer changes
part = render_strips("explore", cut, layers)
render_comparison("explore", cut)
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
import streamlit as st

from app.components.data import Place, StripRow
from app.components.pictures import token_strip
from app.parts.choices import url_toggle
from app.parts.data_table import PINNED, download_csv, draw_table, headings
from app.parts.problem import reason
from app.parts.tables.segmentation import Segmentation, TextPart, count, segment
from app.parts.tables.strips import byte_row, grapheme_row, pretoken_row, strip_chars, token_row
from app.parts.tokens.morpheme_layer import LayerOptions, MorphemeLayer, render_layer_options
from app.server.work.kernels import in_plain_python
from app.session.models import ActiveTokenizer
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.corpora import own_text
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.normalize import text_of_spans
from engine.corpus.pretokens.own_pattern import USED_UP
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError


def lonely_tokens(segmentations: Sequence[Segmentation]) -> list[np.ndarray]:
    """For each segmentation, bool per token: no other one has a token over the same bytes. Alone, none is lonely."""
    if len(segmentations) < 2:
        return [np.zeros(one.ids.size, dtype=bool) for one in segmentations]
    spans = [list(zip(one.byte_begin.tolist(), one.byte_end.tolist(), strict=True)) for one in segmentations]
    owners = Counter(span for one in spans for span in set(one))
    return [np.array([owners[span] == 1 for span in one], dtype=bool) for one in spans]


_LAST_LATIN = "\u024f"
_ENOUGH = 10_000  # characters, to tell a script


def is_mostly_latin(text: str) -> bool:
    """Whether most letters of a text, or of the beginning of a long one, are Latin."""
    letters = [char for char in text[:_ENOUGH] if char.isalpha()]
    return 2 * sum(char <= _LAST_LATIN for char in letters) > len(letters)


def comparison_table(names: Sequence[str], sizes: Sequence[int], segmentations: Sequence[Segmentation]) -> pd.DataFrame:
    """One row per tokenizer.

    Columns: name, vocab_size, tokens, fertility (tokens per word), characters_per_token, bytes_per_token, alone (tokens
    that no other tokenizer has), partial (tokens that are parts of a character), ratio (tokens over the fewest).
    """
    counts = [count(one) for one in segmentations]
    fewest = min((one.tokens for one in counts), default=0)
    return pd.DataFrame(
        {
            "name": list(names),
            "vocab_size": list(sizes),
            "tokens": [one.tokens for one in counts],
            "ratio": [one.tokens / fewest if fewest else None for one in counts],
            "fertility": [one.fertility for one in counts],
            "characters_per_token": [one.characters_per_token for one in counts],
            "bytes_per_token": [one.bytes_per_token for one in counts],
            "alone": [int(alone.sum()) for alone in lonely_tokens(segmentations)],
            "partial": [one.partial for one in counts],
        }
    )


def shared_stretches(segmentations: Sequence[Segmentation], size: int) -> list[list[TextPart]]:
    """The text in parts of about `size` characters; no boundary is inside a token or character of any tokenizer.

    One list per part, with the part's token range in every segmentation; at least one part.
    """
    length = len(segmentations[0].text)
    allowed = np.ones(length + 1, dtype=bool)
    for one in segmentations:
        inside = np.zeros(length + 2, dtype=np.int64)
        # A token over the characters b to e forbids the cuts b+1 to e-1; pieces of one character share its span.
        np.add.at(inside, np.minimum(one.begin + 1, one.end), 1)
        np.add.at(inside, one.end, -1)
        allowed &= np.cumsum(inside)[: length + 1] == 0
    allowed[[0, length]] = True
    cuts = np.flatnonzero(allowed)
    bounds = [0]
    while bounds[-1] < length:
        bounds.append(int(cuts[np.searchsorted(cuts, min(bounds[-1] + size, length))]))
    ends = bounds[1:] or [0]
    # If begins are equal, all pieces of the character are after the cut.
    return [
        [
            TextPart(int(np.searchsorted(one.begin, begin)), int(np.searchsorted(one.begin, end)), begin, end)
            for one in segmentations
        ]
        for begin, end in zip(bounds, ends, strict=False)
    ]


# Characters times rows that a browser draws without a noticeable pause.
_PAGE_SIZE = 3000
_MAX_PLAIN = 300  # characters that plain Python segments within 0.1 s
LAYERS = ("pretokens", "graphemes", "bytes")
_PART = "part"


class Cut(NamedTuple):
    """A text segmented by several tokenizers; `segmentations` are in their order, all of the same text."""

    text: str
    segmentations: list[Segmentation]
    shown: list[ActiveTokenizer]


def cut_text(key: str, shown: Sequence[ActiveTokenizer], text: str) -> Cut:
    """Segment `text` with every tokenizer that normalises it as the first one does; others cannot be aligned with it.

    Raises
    ------
    InputError : the first tokenizer cannot segment the text, or a pattern is too slow.
    """
    wanted = (text, tuple(active.sha256 for active in shown))
    kept = st.session_state.pop(f"{key}.cut", None)
    if kept is None or kept[0] != wanted:
        normalised = [text_of_spans(text, active.model.normalization) for active in shown]
        beside = [one for one, form in zip(shown, normalised, strict=True) if form == normalised[0]]
        segmentations, refused = [_segment(beside[0], normalised[0])], {}
        for active in beside[1:]:
            try:
                segmentations.append(_segment(active, normalised[0]))
            except InputError as error:  # an imported vocabulary may lack a character and have no unknown token
                if error.code in USED_UP:
                    raise
                refused[active.reference] = error.again()
        able = [active for active in beside if active.reference not in refused]
        kept = (wanted, Cut(normalised[0], segmentations, able), refused)
    st.session_state[f"{key}.cut"] = kept
    _, cut, refused = kept
    for active in shown:
        if active.reference in refused:
            st.warning(plain(f"{active.title}: {reason(refused[active.reference])}"), icon=":material/warning:")
        elif active.reference not in [one.reference for one in cut.shown]:
            st.caption(t("strips.other_text", name=plain(active.title)))
    return cut


def last_cut(key: str) -> Cut | None:
    """What the last `cut_text` of this session made, for a fragment beside its own; None where it failed."""
    kept = st.session_state.get(f"{key}.cut")
    return kept and cast(Cut, kept[1])


def _segment(active: ActiveTokenizer, text: str) -> Segmentation:
    is_quick = active.reference.is_shipped and len(text) <= _MAX_PLAIN
    with in_plain_python() if is_quick else nullcontext():
        return segment(active.model, text)


def render_layers() -> tuple[tuple[str, ...], LayerOptions | None]:
    """The toggles of the layers below the tokens; returns those that are on, and how morphemes are looked at."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="strips.layers"):
        layers = tuple(layer for layer in LAYERS if url_toggle(layer, t(f"strips.layer.{layer}")))
        return layers, render_layer_options()


def render_strips(
    key: str,
    cut: Cut,
    layers: Sequence[str] = (),
    picked: tuple[int, int] | None = None,
    on_pick: Callable[[int, int], None] | None = None,
    show_help: bool = True,
    layer: MorphemeLayer | None = None,
    on_turn: Callable[[], None] | None = None,
) -> None:
    """Draw one part of the text.

    `picked` and `on_pick` are a tokenizer's place in `cut.shown` and a token's number in the whole text; `layer` has
    its morphemes; `on_turn` is called when the visitor turns to another part.
    """
    part = _part(_parts(cut, layers, layer), picked, on_turn)

    def pick(place: Place) -> None:
        if on_pick is not None and place.row < len(cut.shown):
            on_pick(place.row, part[place.row].first + place.token)

    selected = None
    if picked is not None and part[picked[0]].first <= picked[1] < part[picked[0]].last:
        selected = Place(picked[0], picked[1] - part[picked[0]].first)
    token_strip(
        f"{key}.strip",
        _rows(cut, part, layers, layer),
        pick,
        chars=strip_chars(cut.text, part[0]),
        selected=selected,
        show_help=show_help,
        count_title=t("strips.column.tokens"),
        lang=TEXT_LANGUAGE,
    )


def forget_part() -> None:
    """Return to the first part, or to that of the picked token; for a new text."""
    st.session_state.pop(_PART, None)


def current_part(cut: Cut, layers: Sequence[str], layer: MorphemeLayer | None) -> list[TextPart]:
    """The part that `render_strips` has drawn: for every tokenizer, the range of its tokens."""
    parts = _parts(cut, layers, layer)
    return parts[min(st.session_state.get(_PART, 1), len(parts)) - 1]


def _parts(cut: Cut, layers: Sequence[str], layer: MorphemeLayer | None) -> list[list[TextPart]]:
    n_rows = len(cut.segmentations) + (2 if layer else 0) + 3 * len(layers) + ("bytes" in layers) * 3
    return shared_stretches(cut.segmentations, max(60, _PAGE_SIZE // (n_rows + 1)))


def _part(
    parts: list[list[TextPart]], picked: tuple[int, int] | None, on_turn: Callable[[], None] | None
) -> list[TextPart]:
    """The part of the text to draw; `part` in the URL."""
    if len(parts) == 1:
        forget_part()
        return parts[0]
    if st.session_state.get(_PART, 1) > len(parts):
        st.session_state[_PART] = 1
    if _PART not in st.session_state and picked is not None:
        row, token = picked
        st.session_state[_PART] = next(k for k, part in enumerate(parts, start=1) if token < part[row].last)
    number = st.pagination(len(parts), key=_PART, bind="query-params", on_change=on_turn or "rerun")
    part = parts[number - 1]
    st.caption(t("strips.part", begin=part[0].begin + 1, end=part[0].end, total=parts[-1][0].end))
    return part


def _rows(cut: Cut, part: list[TextPart], layers: Sequence[str], layer: MorphemeLayer | None) -> list[StripRow]:
    """Tokenizers first, in their order; the layers below them."""
    ringed, is_latin = lonely_tokens(cut.segmentations), is_mostly_latin(cut.text)
    rows = [
        token_row(
            active.model,
            one,
            stretch,
            active.title,
            _note(active, is_latin),
            ring,
            f"{one.ids.size:,}",
            layer.classes(one) if layer and layer.options.by_class else None,
        )
        for active, one, stretch, ring in zip(cut.shown, cut.segmentations, part, ringed, strict=True)
    ]
    if layer:
        rows.append(layer.row(part[0]))
    if "pretokens" in layers:
        rows += _pretoken_rows(cut, part[0])
    if "graphemes" in layers:
        rows.append(grapheme_row(cut.text, part[0], t("strips.layer.graphemes"), ""))
    if "bytes" in layers:
        note = t("strips.byte_note", count=len(cut.segmentations[0].data))
        rows.append(byte_row(cut.text, part[0], t("strips.layer.bytes"), note))
    return rows


def _note(active: ActiveTokenizer, is_latin: bool) -> str:
    """Its size; beside text of other languages, that it has seen Korean only."""
    if is_latin and active.is_korean_only:
        return t("strips.korean_only")
    return t("strips.note", size=active.model.vocab_size)


def _pretoken_rows(cut: Cut, part: TextPart) -> list[StripRow]:
    """A row per pre-tokenizer, which several tokenizers may share."""
    users: dict[tuple[str, str], tuple[Pretokenizer, list[ActiveTokenizer]]] = {}
    for active in cut.shown:
        pretokenizer = active.model.pretokenizer
        if pretokenizer is not None:
            users.setdefault((pretokenizer.name, pretokenizer.table), (pretokenizer, []))[1].append(active)
    return [
        pretoken_row(
            pretokenizer,
            cut.text,
            part,
            f"{t('strips.layer.pretokens')} · {', '.join(active.title for active in who)}",
            "",
        )
        for pretokenizer, who in users.values()
    ]


def render_comparison(key: str, cut: Cut) -> None:
    """The figures of the whole text, one row per tokenizer, with a download."""
    sizes = [active.model.vocab_size for active in cut.shown]
    table = comparison_table([active.title for active in cut.shown], sizes, cut.segmentations)
    highest = int(table["tokens"].max()) if len(table) else 1
    columns = headings(
        "strips.column",
        name=PINNED,
        tokens=st.column_config.ProgressColumn(min_value=0, max_value=max(1, highest), format="localized", width=150),
        ratio="%.2f×",
        fertility="%.2f",
        characters_per_token="%.2f",
        bytes_per_token="%.2f",
        alone="localized",
        partial="localized",
        vocab_size="localized",
    )
    draw_table(table, columns, f"{key}.comparison")
    download_csv(f"{key}-comparison", lambda: table, of=lambda: own_text(cut.text))
