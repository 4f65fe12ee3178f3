"""A gold sentence corrected by hand: stored in the link, and used by the whole page."""

from itertools import accumulate, pairwise

import streamlit as st

from app.components.boards import cuts_board
from app.parts.tables.segmentation import joined_surrogates
from app.parts.texts.text_link import url_text
from app.texts.gold import GoldText
from app.texts.i18n import t

# The key of the Sentence section's text.
SENTENCE = "boundaries.text"

# The corrected sentences, one per line, words separated by spaces.
_CORRECTED = url_text("corrected", "boundaries.corrected", "")


def use_sentence(sentence: str) -> None:
    st.session_state[SENTENCE] = sentence


def current_sentence() -> str:
    return "".join(joined_surrogates(st.session_state.get(SENTENCE) or "").split())


def corrected_gold(gold: GoldText) -> GoldText:
    text = _CORRECTED.adopt()
    _CORRECTED.publish(text)
    return gold.corrected(text.split("\n")) if text else gold


def render_correction(read: GoldText, gold: GoldText, lang: str) -> None:
    """A field to correct the words of the sentence shown, if it is in the gold.

    Parameters
    ----------
    read, gold : the gold as in the file, and as corrected.
    """
    text = current_sentence()
    words = next((own for own in gold.words if "".join(own) == text), None)
    if words is None or len(text) < 2:
        return
    is_changed = words not in read.words
    with st.expander(t("boundaries.correct.heading"), icon=":material/edit:", expanded=is_changed):
        st.markdown(t("boundaries.correct.text"))
        cuts = list(accumulate(map(len, words[:-1])))
        labels = {"title": t("boundaries.correct.title")}

        def keep(places: tuple[int, ...]) -> None:
            _keep(text, " ".join(text[a:b] for a, b in pairwise((0, *places, len(text)))))

        cuts_board("boundaries.correct", text, cuts, keep, labels=labels, lang=lang)
        if is_changed:
            st.caption(t("boundaries.correct.changed"))
            st.button(
                t("boundaries.correct.reset"),
                key="boundaries.correct.reset",
                icon=":material/undo:",
                on_click=_keep,
                args=(text, ""),
            )


def _keep(text: str, corrected: str) -> None:
    """Store a correction of the sentence; an empty one restores the gold."""
    others = [line for line in _CORRECTED.value.split("\n") if "".join(line.split()) not in ("", text)]
    _CORRECTED.set("\n".join([*others, corrected] if corrected else others))
