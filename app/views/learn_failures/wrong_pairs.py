"""Wrong pairs: ids of one tokenizer decoded with the vocabulary of another."""

import streamlit as st

from app.parts.choices import url_row
from app.parts.layout import Layout
from app.parts.side_by_side import Cut
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.views.learn_failures.tables import misread


def render_wrong_pairs(view: Layout, cuts: list[Cut]) -> None:
    """Of every text the ids, and what the other tokenizers decode them to; under it the choice of the encoder."""
    shown = cuts[0].shown
    if len(shown) < 2:
        with view.picture:
            st.info(t("learn_failures.wrong.two"), icon=":material/swap_horiz:")
        return
    titles = [f"{number}. {active.title}" for number, active in enumerate(shown, start=1)]
    with view.scrubber:
        writer = url_row("writer", t("learn_failures.wrong.writer"), titles)
        st.caption(t("learn_failures.wrong.note"))
    with view.picture:
        _render_misread(cuts, writer, titles)


def _render_misread(cuts: list[Cut], writer: int, titles: list[str]) -> None:
    shown = cuts[0].shown
    for cut in cuts:
        # A cut lacks the tokenizers for which the text is in another normal form.
        if shown[writer] not in cut.shown:
            continue
        ids = cut.segmentations[cut.shown.index(shown[writer])].ids.tolist()
        with st.container(border=True):
            st.markdown(f"**{plain(visible_space(cut.text))}**")
            st.caption(t("learn_failures.wrong.ids", name=plain(titles[writer]), count=len(ids)))
            st.code(" ".join(map(str, ids)), language=None, wrap_lines=True)
            for reader, active in enumerate(shown):
                if reader == writer:
                    continue
                found = misread(active.model, ids)
                share = 100 * found.n_known / len(ids) if ids else 0.0
                st.caption(
                    t(
                        "learn_failures.wrong.read",
                        name=plain(titles[reader]),
                        known=found.n_known,
                        count=len(ids),
                        share=share,
                    )
                )
                st.code(found.text, language=None, wrap_lines=True)
