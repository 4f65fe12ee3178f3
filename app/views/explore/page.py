"""Explore: a text as the tokens of several tokenizers, with layers below, figures, and details of each token."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.choices import example_choice, url_number, url_row, won_per_dollar
from app.parts.data_table import download_csv, headings
from app.parts.layout import heading, layout, live_layout, more
from app.parts.problem import reason
from app.parts.side_by_side import (
    Cut,
    current_part,
    cut_text,
    forget_part,
    last_cut,
    render_comparison,
    render_layers,
    render_strips,
)
from app.parts.tables.segmentation import TextPart, joined_surrogates, surroundings
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.parts.tokens.morpheme_layer import (
    LayerOptions,
    layer_of,
    render_about,
    render_analyses,
    render_class_counts,
    render_readings,
)
from app.parts.tokens.token_field import choose_token, lattice_link, occurrences_link, token_link
from app.server.http.first_picture import DOORS
from app.session.comparison import FIRST_PUBLIC, FIRST_SHIPPED
from app.session.models import ActiveTokenizer
from app.session.page_run import fragment
from app.session.url import UrlValue
from app.share.facts import share, strip_commands
from app.texts.catalogue import in_language
from app.texts.i18n import language, t
from app.texts.plain import plain, visible_space
from app.texts.presets import PRESETS, beginning
from app.views.explore.tables import id_table, occurrence_table
from engine.corpus.normalize import normalization_changes
from engine.errors import InputError
from engine.vocabulary.ids import has_only_ids, read_ids

_TEXT = url_text("text", "explore.text", PRESETS["sweet_potato"])
# For longer texts there is the Train page.
_MAX_TEXT, _MAX_IN_LATTICE, _MAX_IDS = 200_000, 120, 1000
_DRAWN, _LAYER = "explore.shown", "explore.layer"
# The parts of the page that run on their own: what follows the keys, and what follows a pause.
_LIVE, _SCRUBBER, _NUMBERS = "explore.live", "explore.below", "explore.numbers"
_BELOW = (_SCRUBBER, _NUMBERS)
_PRICE = 2.5  # dollars per million input tokens: GPT-4o, as listed by OpenAI in October 2024

_EXAMPLES = {
    "sweet_potato": PRESETS["sweet_potato"],
    "chatgpt": "챗GPT에게 물어봤어요.",
    "spacing": "아버지가방에들어가신다. 아버지가 방에 들어가신다.",
    "laughter": "아 진짜ㅋㅋㅋㅋㅋ 어떡해ㅠㅠㅠ",
    "politeness": "밥 먹었어? 진지 잡수셨어요?",
    "loanwords": "디지털 콘텐츠 마케팅 인턴십",
    "numbers": "2억 5,000만 원은 이억 오천만 원이다.",
    "rare": "쀍 😀 갂",
}
# The same questions for English; the first sentence stays Korean, for contrast.
_ENGLISH = {
    "sweet_potato": PRESETS["sweet_potato"],
    "cups": "Just drank 2 cups of coffee!",
    "decimals": "Is 3.14 larger than 3.15?",
    "spelling": "My neighbor, or my neighbour?",
    "superbizarre": "a superbizarre idea",
    "cannot": "You cannot read 123456 aloud.",
    "city": "New York City never sleeps.",
    "magikarp": "Who is SolidGoldMagikarp?",
}
_ICONS = {
    "why": ":material/account_tree:",
    "inside": ":material/content_cut:",
    "pays": ":material/payments:",
    "teach": ":material/groups:",
}


def _place(value: str) -> tuple[int, int] | None:
    """Tokenizer and token from `3` (of the first tokenizer) or `2.3`; both count from 1 in the URL."""
    row, _, token = value.rpartition(".")
    if not (token.isdecimal() and len(token) < 8 and (row or "1").isdecimal() and len(row) < 2):
        return None
    return (int(row or 1) - 1, int(token) - 1) if int(row or 1) and int(token) else None


def _place_text(place: tuple[int, int] | None) -> str | None:
    return place and f"{place[0] + 1}." * (place[0] > 0) + str(place[1] + 1)


_PICKED: UrlValue[tuple[int, int] | None] = UrlValue("token", "explore.picked", _place, _place_text, None)


def _text() -> str:
    """The text of the session, as far as it is shown."""
    return joined_surrogates(_TEXT.value)[:_MAX_TEXT]


def _render_field() -> None:
    typed = live_field(_TEXT, t("explore.text"), then=_BELOW)
    text = joined_surrogates(typed)
    if len(text) < len(typed):
        st.warning(t("explore.surrogates"), icon=":material/warning:")
    if len(text) > _MAX_TEXT:
        st.info(t("explore.cut", length=len(text), limit=_MAX_TEXT), icon=":material/content_cut:")


def _show_example(name: str) -> None:
    _TEXT.set((_EXAMPLES | _ENGLISH)[name])
    st.rerun([_LIVE, *_BELOW])


def _render_examples(text: str) -> None:
    """Example texts in the visitor's language, and what the current one shows."""
    examples = in_language({"ko": _EXAMPLES, "en": _ENGLISH}, language())
    shown = next((name for name, example in (examples | _EXAMPLES | _ENGLISH).items() if text == example), None)
    names = {name: beginning(example) for name, example in examples.items()}
    example_choice("explore.example", names, _show_example, shown if shown in examples else None)
    if shown:
        st.caption(t(f"explore.example.{shown}"))


def _render_doors(text: str) -> None:
    """Where to go from here, as the first picture has it; the lattice opens with this text."""
    with st.container(horizontal=True, gap="small", key="doors"):
        for name, page in DOORS.items():
            label = t(f"first.door.{name}.title")
            if page == "lattice" and text:
                lattice_link("door", surroundings(text, 0, 0, _MAX_IN_LATTICE), label)
            else:
                st.page_link(f"views/{page}/page.py", label=label, icon=_ICONS[name])


def _render_ids(active: ActiveTokenizer, text: str) -> None:
    """A text of numbers, read as ids of the first tokenizer."""
    if not has_only_ids(text):
        return
    model = active.model
    with st.expander(t("explore.ids", name=plain(active.title)), expanded=True, icon=":material/tag:"):
        try:
            ids = read_ids(text, model.vocab_size)
        except InputError as error:
            st.warning(plain(reason(error)), icon=":material/warning:")
            return
        st.code(visible_space(model.decode(ids)) or " ", language=None, wrap_lines=True)
        columns = {name: t(f"explore.column.{name}") for name in ("token", "id", "bytes")}
        st.dataframe(id_table(model, ids[:_MAX_IDS]), hide_index=True, column_config=columns, key="explore.ids")


def _render_first(cut: Cut) -> None:
    """The beginning of the text, as far as a number of the first tokenizer's tokens."""
    with st.expander(t("explore.first.heading"), icon=":material/content_cut:"):
        count = url_number("first", t("explore.first.label"), 0, _MAX_TEXT, 0, 1, t("explore.first.help"))
        first = cut.segmentations[0]
        if 0 < count < first.ids.size:
            text = first.data[: int(first.byte_end[count - 1])].decode(errors="ignore")
            st.code(visible_space(text) or " ", language=None, wrap_lines=True)
            st.caption(t("explore.first.kept", characters=len(text), of=len(first.text)))


def _render_normalization(active: ActiveTokenizer, text: str) -> None:
    form = active.model.normalization
    if form == "none":
        return
    n_lines, changes = normalization_changes(text.split("\n"), form)
    name = t(f"train.normalization.{form}")
    if not n_lines:
        st.caption(t("explore.normalization.unchanged", form=name))
        return
    with st.expander(t("explore.normalization.changed", form=name), icon=":material/sync_alt:"):
        rows = [
            (change.before, change.after, _codes(change.before), _codes(change.after), change.times)
            for change in changes
        ]
        names = ("before", "after", "before_codes", "after_codes", "count")
        st.dataframe(pd.DataFrame(rows, columns=[t(f"train.normalization.{name}") for name in names]), hide_index=True)


def _codes(text: str) -> str:
    return " ".join(f"{ord(char):04X}" for char in text)


def _render_counts(cut: Cut) -> None:
    """The size of the text, and the range of the tokenizers' counts."""
    counts = [one.ids.size for one in cut.segmentations]
    low, high = min(counts), max(counts)
    sizes = {"characters": len(cut.text), "words": len(cut.text.split()), "tokens": counts[0]}
    numbers = {name: f"{size:,}" for name, size in sizes.items()}
    if len(counts) > 1:
        numbers["spread"] = f"{low:,}–{high:,} (×{high / low:.2f})" if low else f"{low:,}–{high:,}"
    with st.container(horizontal=True, gap="medium", key="explore.counts"):
        for name, value in numbers.items():
            about = t(f"explore.count.{name}_help")
            about += f" {t('explore.count.tokens_rule')}" if name == "tokens" else ""
            st.metric(t(f"explore.count.{name}"), value, help=about, width="content")


def _render_cost(cut: Cut) -> None:
    """The cost of a million such texts under each tokenizer, at a price the visitor sets."""
    left, right, _ = st.columns([1, 1, 1])
    with left:
        price = url_number("price", t("explore.cost.price"), 0.0, 10_000.0, _PRICE, 0.5, t("explore.cost.help"))
    with right:
        won = won_per_dollar()
    if not price:
        st.caption(t("explore.cost.free"))
        return
    with st.container(horizontal=True, gap="medium", key="explore.cost"):
        for active, segmentation in zip(cut.shown, cut.segmentations, strict=True):
            # A million texts at a price per million tokens.
            dollars = segmentation.ids.size * price
            in_won = f"₩{dollars * won:,.0f}"
            st.metric(plain(active.title), f"${dollars:,.2f}", in_won, "off", delta_arrow="off", width="content")
    st.caption(t("explore.cost.note"))


def _render_paper(text: str) -> None:
    """The counts of the paper's Table 2, shown for its sentence."""
    if text == PRESETS["sweet_potato"]:
        st.caption(t("explore.paper"))


def _render_without_tokens(cut: Cut) -> None:
    """Which tokenizers leave nothing of the text."""
    names = [one.title for one, cut_by in zip(cut.shown, cut.segmentations, strict=True) if not cut_by.ids.size]
    if names:
        st.info(t("explore.no_tokens", names=plain(", ".join(names))), icon=":material/info:")


def _render_picked(cut: Cut, place: tuple[int, int]) -> None:
    row, picked = place
    active, segmentation = cut.shown[row], cut.segmentations[row]
    token = occurrence_table(active.model, segmentation, picked, picked + 1).iloc[0]
    times = int((segmentation.ids == token["id"]).sum())
    with st.container(border=True, key="explore.token"):
        st.subheader(t("explore.token.heading", token=plain(token["token"])), anchor=False)
        st.markdown(
            t(
                "explore.token.summary",
                kind=_kind(active, token),
                number=token["number"],
                total=segmentation.ids.size,
                times=times,
                data=token["bytes"],
                code_points=plain(token["code_points"]),
            )
        )
        _render_figures(token)
        shows = (
            "lattice" if active.model.probabilities else "merges" if active.model.merge_steps("") is not None else ""
        )
        if shows:
            begin, end = int(segmentation.begin[picked]), int(segmentation.end[picked])
            around = surroundings(segmentation.text, begin, end, _MAX_IN_LATTICE)
            under = str(active.reference) if row else ""
            lattice_link("token", around, t(f"explore.token.{shows}"), under)
        occurrences_link(token["token"], active)
        if active.model.pruning is not None:
            choose_token(token["token"])
            token_link(token["token"])


def _kind(active: ActiveTokenizer, token: "pd.Series[Any]") -> str:
    """The category of a token: its linguistic level, the merge that made it, or only the tokenizer."""
    name = plain(active.title)
    if "level" in token:
        level = t(f"explore.level.{token['level']}") if token["level"] else t("explore.level.special")
        return f"{name} · {level}"
    if "merge" in token and not pd.isna(token["merge"]):
        return t("explore.token.merge", name=name, merge=int(token["merge"]))
    return name


def _render_figures(token: "pd.Series[Any]") -> None:
    with st.container(horizontal=True, gap="medium"):
        st.metric(t("explore.column.id"), f"{token['id']}", width="content")
        for name, form in (("log2_prob", ".2f"), ("p", ".3g"), ("be", ".3f")):
            if name in token:
                value = "–" if pd.isna(token[name]) else f"{token[name]:{form}}"
                st.metric(t(f"explore.column.{name}"), value, help=t(f"explore.column.{name}_help"), width="content")


def _render_table(cut: Cut, part: list[TextPart]) -> None:
    st.header(t("explore.table.heading"))
    row = 0
    if len(cut.shown) > 1:
        titles = [f"{k}. {active.title}" for k, active in enumerate(cut.shown, start=1)]
        row = url_row("of", t("explore.table.of"), titles)
    model, segmentation = cut.shown[row].model, cut.segmentations[row]
    table = occurrence_table(model, segmentation, part[row].first, part[row].last)
    if "level" in table:
        levels = {name: t(f"explore.level.{name}") for name in ("byte", "character", "word", "phrase")}
        table["level"] = table["level"].map({**levels, "": t("explore.level.special")})
    columns = headings("explore.column", number=st.column_config.NumberColumn(width="small"), token="", id="%d")
    columns |= headings("explore.column", bytes="", code_points="", log2_prob="%.2f", p="%.3g", be="%.3f")
    columns |= headings("explore.column", level="", merge="%d")
    height = min(38 + 35 * max(1, len(table)), 420)
    st.dataframe(table, hide_index=True, height=height, column_config=columns, key="explore.table")
    download_csv(
        "tokens", lambda: occurrence_table(model, segmentation), t("explore.table.download"), of=cut.shown[row]
    )


def _keep_picked(cut: Cut) -> tuple[int, int] | None:
    """Keep the clicked token if the current text has it. The URL numbers tokens from 1."""
    shown = (cut.shown[0].sha256, cut.text)
    if st.session_state.get(_DRAWN, shown) != shown:
        _PICKED.set(None)
        forget_part()
    st.session_state[_DRAWN] = shown
    place = _PICKED.adopt()
    if place is not None and place[0] >= len(cut.shown):
        return None  # its tokenizer may still be training
    if place is not None and not 0 <= place[1] < cut.segmentations[place[0]].ids.size:
        place = None
        _PICKED.set(None)
    _PICKED.publish(place)
    return place


def _pick(row: int, token: int) -> None:
    _PICKED.set((row, token))
    st.rerun([_LIVE, _SCRUBBER])


@fragment(key=_LIVE, waits=False)
def _render_live(tokenizers: list[ActiveTokenizer], layers: tuple[str, ...], options: LayerOptions | None) -> None:
    """The text and its strips, which follow the keys."""
    topic, picture = live_layout()
    with topic:
        _render_field()
    with picture:
        text = _text()
        if not text:
            st.info(t("explore.empty"), icon=":material/edit:")
            return
        try:
            cut = cut_text("explore", tokenizers, text)
        except InputError as error:
            st.error(plain(reason(error)), icon=":material/error:")
            return
        _render_without_tokens(cut)
        layer = st.session_state[_LAYER] = layer_of("explore", options, cut.text) if options else None
        turn = partial(st.rerun, [_LIVE, _NUMBERS])
        render_strips("explore", cut, layers, _keep_picked(cut), _pick, layer=layer, on_turn=turn)


@fragment(key=_SCRUBBER)
def _render_below() -> None:
    """What is said of the token that was clicked; where to go from here."""
    text = _text()
    _TEXT.publish(_TEXT.value)
    if (cut := last_cut("explore")) and text:
        if picked := _keep_picked(cut):
            _render_picked(cut, picked)
        else:
            st.caption(t("explore.token.none"))
        _render_ids(cut.shown[0], cut.text)
    _render_doors(text)
    _render_examples(text)


@fragment(key=_NUMBERS)
def _render_numbers(layers: tuple[str, ...], options: LayerOptions | None) -> None:
    """The figures of the text."""
    text, cut = _text(), last_cut("explore")
    if not text or cut is None:
        return
    _render_normalization(cut.shown[0], text)
    layer = layer_of("explore", options, cut.text) if options else None
    if layer:
        if st.session_state[_LAYER] is None or layer.morphemes != st.session_state[_LAYER].morphemes:
            st.rerun()  # corrected here, and drawn above
        render_about(layer)
        render_class_counts("explore", layer, cut.shown, cut.segmentations)
        render_readings("explore", layer)
        render_analyses(layer)
    share(commands=strip_commands(cut.shown, cut.text))
    _render_counts(cut)
    _render_paper(text)
    if place := more("explore", "of", "first", "price", "won"):
        with place:
            _render_first(cut)
            render_comparison("explore", cut)
            _render_cost(cut)
            _render_table(cut, current_part(cut, layers, layer))


@fragment
def _render() -> None:
    """All but the heading: another tokenizer or layer changes it."""
    view = layout(is_live=True)
    tokenizers = render_tokenizer_set(view, (*FIRST_SHIPPED, *FIRST_PUBLIC))
    with view.scrubber:
        below = st.container(gap="xsmall")
        layers, options = render_layers()
    with view.picture:
        _render_live(tokenizers, layers, options)
    with below:
        _render_below()
    with view.sections:
        _render_numbers(layers, options)


heading("explore", sentence=f"**{t('frame.title')}**: {t('first.about')}")
_render()
