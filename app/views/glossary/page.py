"""Glossary: the app's terms, one sentence each, and where to see them in use."""

import streamlit as st

from app.parts.layout import heading, layout
from app.session.url import UrlValue, one_of
from app.texts.catalogue import LANGUAGES, translate
from app.texts.glossary import GLOSSARY, GROUPS
from app.texts.i18n import language, page_address, t
from engine.corpus.normalize import composed

# The term that a link leads to comes first.
_LINKED = UrlValue("term", "glossary.term", one_of(GLOSSARY), str, "")


def _names(term: str) -> list[str]:
    """Its names, the visitor's language first; one name if they are all the same."""
    codes = sorted(LANGUAGES, key=lambda code: code != language())
    return list(dict.fromkeys(translate(f"glossary.{term}.name", code) for code in codes))


def _matches(term: str, wanted: str) -> bool:
    texts = [*_names(term), *(translate(f"glossary.{term}.text", code) for code in LANGUAGES)]
    return any(wanted in text.casefold() for text in texts)


def _about(term: str, level: str) -> str:
    """Its heading, of this level, and what it is."""
    about = GLOSSARY[term]
    page = t(f"frame.page.{about.page}")
    example = f"[{t('glossary.example', page=page)}]({page_address(about.page, **about.params)})"
    lines = [f"{level} {' · '.join(_names(term))}", t(f"glossary.{term}.text")]
    if about.formula:
        lines.append(rf"$\displaystyle {about.formula}$")
    return "\n\n".join([*lines, f"{example} · {t('glossary.source', source=about.source)}"])


heading("glossary")
view = layout()
with view.topic:
    typed = st.text_input(t("glossary.look_up"), key="look_up", bind="query-params", persist_state="session") or ""
with view.picture:
    linked = _LINKED.adopt()
    _LINKED.publish(linked)
    if linked:
        with st.container(border=True, key="glossary.linked"):
            st.markdown(_about(linked, "##"), anchors=False)
    found = [term for term in GLOSSARY if _matches(term, composed(typed).strip().casefold())]
    st.caption(t("glossary.count", n=len(found)) if found else t("glossary.none"))
    for group in GROUPS:
        terms = [term for term in found if GLOSSARY[term].group == group]
        if terms:
            told = [f"## {t(f'glossary.group.{group}')}", *(_about(term, "###") for term in terms)]
            st.markdown("\n\n".join(told), anchors=False)
