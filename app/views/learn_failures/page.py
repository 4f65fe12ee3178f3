"""Why can't it count letters? A gallery of texts on which tokenizers stumble, live, under a few tokenizers."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.parts.choices import read_choice, url_choice, url_row, url_select
from app.parts.data_table import render_data
from app.parts.hidden_answers import are_answers_asked_for, render_exercises
from app.parts.layout import Layout, heading, layout
from app.parts.problem import reason
from app.parts.side_by_side import Cut, cut_text, last_cut, render_strips
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.tokenizer_set import Offer, render_offers
from app.server.remember import remember
from app.session.comparison import DIGIT_POLICIES, FIRST_SHIPPED, TRAINED_HERE
from app.session.models import ActiveTokenizer
from app.session.page_run import fragment
from app.session.url import UrlValue, one_of
from app.texts.catalogue import LANGUAGES
from app.texts.corpora import ALL, Text, builtin_corpus, own_text
from app.texts.i18n import language, t
from app.texts.plain import plain, visible_space
from app.views.learn_failures.code import render_code
from app.views.learn_failures.prompt_edge import render_prompt_edge
from app.views.learn_failures.spaces import choose_spaces, render_across
from app.views.learn_failures.tables import misread, unused_tokens
from app.views.learn_failures.topics import SPECIAL, TOPICS, examples
from app.views.learn_failures.variants import render_variants
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.merges.trainer import train_merges


def _render_misread(cuts: list[Cut], shown: Sequence[ActiveTokenizer], writer: int) -> None:
    """Of every text the ids, and what the other tokenizers decode them to."""
    if len(shown) < 2:
        st.info(t("learn_failures.wrong.two"), icon=":material/swap_horiz:")
        return
    for cut in cuts:
        # A cut lacks the tokenizers for which the text is in another normal form.
        if shown[writer] not in cut.shown:
            continue
        ids = cut.segmentations[cut.shown.index(shown[writer])].ids.tolist()
        with st.container(border=True):
            st.markdown(f"**{plain(visible_space(cut.text))}**")
            name = plain(f"{writer + 1}. {shown[writer].title}")
            st.caption(t("learn_failures.wrong.ids", name=name, count=len(ids)))
            st.code(" ".join(map(str, ids)), language=None, wrap_lines=True)
            for reader, active in enumerate(shown):
                if reader == writer:
                    continue
                found = misread(active.model, ids)
                share = 100 * found.n_known / len(ids) if ids else 0.0
                st.caption(
                    t(
                        "learn_failures.wrong.read",
                        name=plain(f"{reader + 1}. {active.title}"),
                        known=found.n_known,
                        count=len(ids),
                        share=share,
                    )
                )
                st.code(found.text, language=None, wrap_lines=True)


_MAX_LINES, _MAX_LENGTH = 12, 300
_SIZES = {ALL: 8000, "ko": 4000}
# Tokenizers trained here in addition to the public ones, for topics that need them: the URL parameter, the
# options, and the default.
_TRAINED: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "numbers": ("digits", (*TRAINED_HERE, *DIGIT_POLICIES), ("byte-bpe", *DIGIT_POLICIES)),
    "words": ("beside", TRAINED_HERE, ("words",)),
    "unlearnable": ("pieces", TRAINED_HERE, ("words", "characters")),
    "rare": ("unused", TRAINED_HERE, ("byte-bpe",)),
}
_PUBLIC = ("gpt2", "cl100k_base", "o200k_base")
_OF = "failures.of"
# The parts of the page that run on their own: what follows the keys, and what follows a pause.
_FIELD, _PICTURE, _SECTIONS = "failures.field", "failures.live", "failures.sections"
# Topics with controls that depend on the text: the whole page follows it.
_WHOLE = ("across", "noise", "trailing")
_TOPIC = UrlValue("topic", "failures.topic", one_of(TOPICS), str, TOPICS[0])


def _text() -> UrlValue[str]:
    """The variants, one per line: the topic's, or the visitor's."""
    return url_text("text", "failures.text", _presets()[language()])


def _presets() -> dict[str, str]:
    return {code: "\n".join(line.replace("\n", "\\n") for line in examples(_TOPIC.value, code)) for code in LANGUAGES}


def _lines() -> list[str]:
    """The lines of the text; `\\n` stands for a line end."""
    lines = [joined_surrogates(line)[:_MAX_LENGTH].replace("\\n", "\n") for line in _text().value.split("\n") if line]
    return lines[:_MAX_LINES]


def _draw_field(live: Sequence[str] = (), then: Sequence[str] = ()) -> None:
    text, topic = _text(), _TOPIC.value
    if text.adopt() in _presets().values() or st.session_state.get(_OF, topic) != topic:
        text.set(text.default)
    st.session_state[_OF] = topic
    typed = live_field(text, t("learn_failures.lines"), live=live, then=then, help="")
    if len([*filter(None, typed.split("\n"))]) > _MAX_LINES or len(typed) > _MAX_LINES * _MAX_LENGTH:
        st.caption(t("learn_failures.cut", lines=_MAX_LINES, length=_MAX_LENGTH))


def _draw_picture(view: Layout, tokenizers: list[ActiveTokenizer], source: Text, writer: int) -> None:
    if not (lines := _lines()) or not tokenizers:
        st.info(t("learn_failures.empty"), icon=":material/edit:")
        return
    try:
        if _TOPIC.value == "noise":
            cuts = render_variants(view, lines, tokenizers)
            with view.sections:
                _render_counts(cuts)
            return
        cuts = [cut_text(f"failures.{k}", tokenizers, line) for k, line in enumerate(lines)]
        if _TOPIC.value == "trailing":
            render_prompt_edge(view, lines, tokenizers, source)
        elif _TOPIC.value == "wrong_pairs":
            _render_misread(cuts, tokenizers, writer)
        else:
            _render_all(cuts)
    except InputError as error:
        st.error(plain(reason(error)), icon=":material/error:")


_render_field = fragment(key=_FIELD, waits=False)(_draw_field)
_render_picture = fragment(key=_PICTURE, waits=False)(_draw_picture)


def _choose_source(view: Layout) -> Text:
    corpora = {name: t(f"learn_failures.on.{name}") for name in _SIZES}
    chosen = corpora[read_choice("corpus", corpora, ALL)]
    with view.settings(t("learn_failures.trained_on", corpus=chosen), key="trained_on"):
        return builtin_corpus(url_choice("corpus", t("learn_failures.corpus"), corpora, ALL))


def _render_all(cuts: list[Cut]) -> None:
    for k, cut in enumerate(cuts):
        render_strips(f"failures.{k}", cut, show_help=k == 0)


def _render_counts(cuts: list[Cut]) -> None:
    """Tokens of every variant under every tokenizer."""
    # A tokenizer may be unable to encode some of the texts.
    titles_of = {active.reference: active.title for cut in cuts for active in cut.shown}
    names = [f"{k}. {title}" for k, title in enumerate(titles_of.values(), start=1)]
    rows = []
    for cut in cuts:
        sizes = {active.reference: one.ids.size for active, one in zip(cut.shown, cut.segmentations, strict=True)}
        counts = [sizes.get(reference) for reference in titles_of]
        rows.append([visible_space(cut.text), len(cut.text), len(cut.text.encode()), *counts])
    table = pd.DataFrame(rows, columns=["text", "characters", "bytes", *names])
    titles = {name: t(f"learn_failures.column.{name}") for name in ("text", "characters", "bytes")}
    st.dataframe(table, hide_index=True, column_config=titles, key="failures.counts")
    columns = {**titles, **{name: name for name in names}}
    render_data("failures", table, columns, of=own_text("\n".join(cut.text for cut in cuts)))


def _render_special() -> None:
    """One text, with its special token encoded as text and as the token."""
    settings = TrainingSettings(algorithm="byte-bpe", vocab_size=1000, pretokenizer="gpt2", special_tokens=(SPECIAL,))
    source = builtin_corpus("ko", ("news",))
    model = remember("failures.special", None, lambda: train_merges(source.lines(), settings), 1, is_shared=True)
    text = f"{t('learn_failures.special.before')}{SPECIAL}{t('learn_failures.special.after')}"
    for allowed in (False, True):
        ids = model.encode(text, allow_special=allowed).ids
        st.markdown(t(f"learn_failures.special.{'allowed' if allowed else 'text'}", count=len(ids)))
        st.code(" | ".join(visible_space(model.token_label(i)) for i in ids), language=None, wrap_lines=True)


def _unused(active: ActiveTokenizer, source: Text) -> pd.DataFrame:
    key = (active.sha256, source.digest)
    return remember("failures.unused", key, lambda: unused_tokens(active.model, source.lines()), 20, is_shared=True)


def _render_unused(shown: list[ActiveTokenizer], source: Text) -> None:
    st.subheader(t("learn_failures.unused.heading"))
    for active in shown:
        table = _unused(active, source)
        share = len(table) / active.model.vocab_size
        name = plain(active.title)
        st.markdown(t("learn_failures.unused.count", name=name, count=len(table), share=100 * share))
        if len(table):
            st.code(" | ".join(table["token"].head(12)), language=None, wrap_lines=True)
            columns = {name: t(f"learn_failures.column.{name}") for name in ("token", "id", "n_bytes")}
            render_data(f"unused-{active.sha256[:8]}", table, columns, of=source)


@fragment(key=_SECTIONS)
def _render_sections(tokenizers: list[ActiveTokenizer], source: Text) -> None:
    _text().publish(_text().adopt())
    cuts = [cut for k in range(len(_lines())) if (cut := last_cut(f"failures.{k}"))]
    if not cuts or not tokenizers:
        return
    if _TOPIC.value in ("wrong_pairs", "trailing"):
        _render_all(cuts)
    _render_counts(cuts)
    if _TOPIC.value == "special":
        _render_special()
    if _TOPIC.value == "rare":
        _render_unused([active for active in tokenizers if active.source is not None], source)
    if _TOPIC.value == "code":
        render_code()


topic = _TOPIC.adopt()
heading("learn_failures", sentence=t(f"learn_failures.topic.{topic}.says"))
view = layout()
render_exercises("learn_failures")
with view.topic:
    url_select(_TOPIC, t("learn_failures.choose"), {name: t(f"learn_failures.topic.{name}.title") for name in TOPICS})
spaces = choose_spaces(view) if topic == "across" else None
with view.scrubber:
    st.markdown(t(f"learn_failures.topic.{topic}.text"))
    field = st.container()
is_hidden = not are_answers_asked_for(view)
with field:
    _draw_field() if is_hidden or topic in _WHOLE else _render_field((_FIELD, _PICTURE), (_SECTIONS,))
if is_hidden:
    st.stop()
if spaces is not None:
    render_across(view, _lines(), *spaces)
    st.stop()
param, options, default = _TRAINED.get(topic, ("compare", TRAINED_HERE, ()))
source = _choose_source(view)
here = Offer(param, "here", default, options, source, _SIZES[source.collection], ("corpus",))
shipped = [Offer("shipped", "shipped", FIRST_SHIPPED[:1])] if topic == "noise" else []
tokenizers = render_offers(view, *shipped, Offer("models", "public", _PUBLIC), here)
writer = 0
with view.scrubber:
    if topic == "wrong_pairs" and len(tokenizers) > 1:
        titles = [f"{number}. {active.title}" for number, active in enumerate(tokenizers, start=1)]
        writer = url_row("writer", t("learn_failures.wrong.writer"), titles)
        st.caption(t("learn_failures.wrong.note"))
    if any(not active.reference.is_named for active in tokenizers):
        st.caption(t("learn_failures.small"))
with view.picture:
    (_draw_picture if topic in _WHOLE else _render_picture)(view, tokenizers, source, writer)
with view.sections:
    if topic != "noise":
        _render_sections(tokenizers, source)
