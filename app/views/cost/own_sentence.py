"""A sentence of the visitor's own and its translation, and why one sentence differs from many."""

import streamlit as st

from app.parts.layout import Layout
from app.parts.sentence_pair import render_pair
from app.parts.tokenizers.tokenizer_set import ready_references, render_others
from app.server.remember import remember
from app.session.models import ActiveTokenizer, ready_tokenizer
from app.session.page_run import said_while_preparing
from app.session.reference import ModelReference
from app.session.titles import missing_note
from app.texts.i18n import t
from app.texts.measured import parallel_texts
from app.views.cost.premium import HEADLINED
from app.views.cost.stored import BASE, NEWS, SENTENCES, n_sentences, premium_table
from engine.public.catalogue import PUBLIC_TOKENIZERS

_TOKENIZER, _LANGUAGE = "cl100k_base", "ko"  # of the pair that the fields begin with


def render_own_sentence(view: Layout) -> None:
    """The strips under the tokenizers of the page's sentence, and one line on the numbers."""
    with view.scrubber:
        others = render_others()
    with said_while_preparing():
        found = {name: ready_tokenizer(_reference(name), None) for name in HEADLINED}
        shown = [active for active in found.values() if active]
        with view.picture:
            if missing := [name for name, active in found.items() if active is None]:
                st.caption(missing_note(missing))
            pair = render_pair([*shown, *ready_references(others)])
        active = found[_TOKENIZER]
        if pair is None or active is None:
            return
        low, high = _range(active)
        of = {text: premium_table(text, _LANGUAGE).set_index("name")["value"][_TOKENIZER] for text in (SENTENCES, NEWS)}
        times = pair.set_index("reference")["times"].get(active.reference)
        if times is not None:
            n, news = n_sentences(SENTENCES), n_sentences(NEWS)
            values = {"all": of[SENTENCES], "of_news": of[NEWS], "n": n, "news": news}
            view.sections.caption(t("cost.why", times=times, low=low, high=high, **values))


def _reference(name: str) -> ModelReference:
    return ModelReference(PUBLIC_TOKENIZERS[name].reference)


def _range(active: ActiveTokenizer) -> tuple[float, float]:
    """The smallest and the largest ratio of a single built-in sentence."""

    def measure() -> tuple[float, float]:
        texts = parallel_texts()
        counts = [[len(active.model.encode(line).ids) for line in texts[code]] for code in (BASE, _LANGUAGE)]
        times = [other / base for base, other in zip(*counts, strict=True)]
        return min(times), max(times)

    return remember("cost.range", active.sha256, measure, 4, is_shared=True)
