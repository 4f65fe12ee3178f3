"""What all components do alike: mounting, their texts, and hearing what the browser says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.shared.component import HTML, SHARED, script, style
from app.texts.i18n import language


class Component:
    """A component of the app.

    Parameters
    ----------
    name : of its folder, its script and its style sheet.
    shared : scripts of this folder, with their style sheets, that go in front of its own.
    labels : names of its texts.
    text : the text of a name, in the session's language.
    """

    def __init__(self, name: str, shared: Sequence[str], labels: Sequence[str], text: Callable[[str], str]) -> None:
        styled = [one for one in shared if (SHARED / f"{one}.css").exists()]
        css, js = style("base", *styled, name), script("dom", *shared, name)
        self._mount = st.components.v2.component(name, html=HTML, css=css, js=js)
        self._labels, self._text = labels, text

    def labels(self, own: Mapping[str, str] | None = None) -> dict[str, str]:
        """All texts; `own` replaces some."""
        own = own or {}
        return {name: own[name] if name in own else self._text(name) for name in self._labels}

    def draw(self, key: str, data: Mapping[str, Any], **on: Callable[[Any], None]) -> Any:
        """Mount it. `on`: by the name of an event, what takes its value, before the script runs again.

        What a visitor does may come with a number: the last one goes back with the data, so that the browser knows
        which of it these data follow.
        """
        heard = f"{key}.heard"

        def hear(name: str, take: Callable[[Any], None]) -> Callable[[], None]:
            def heard_one() -> None:
                told = st.session_state[key][name]
                if isinstance(told, Mapping) and isinstance(number := told.get("number"), int):
                    st.session_state[heard] = max(number, st.session_state.get(heard, 0))
                    told = told.get("value")
                take(told)

            return heard_one

        changes: Any = {f"on_{name}_change": hear(name, take) for name, take in on.items()}
        sent = {**data, "ui_lang": language(), "heard": st.session_state.get(heard, 0)}
        return self._mount(key=key, data=sent, **changes)
