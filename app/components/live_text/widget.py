"""A text field whose text is known while one types, a syllable in composition included."""

from collections.abc import Callable
from typing import Any

from app.components.shared.component import checked_labels
from app.components.shared.widget import Component
from app.texts.i18n import t

LABELS = ("label", "long")

_component = Component("live_text", (), LABELS, lambda name: t(f"frame.live.{name}"))


def live_text(
    key: str,
    text: str,
    label: str,
    on_type: Callable[[str], None],
    on_rest: Callable[[], None],
    *,
    most: int | None = None,
    has_lines: bool = True,
    lang: str,
) -> None:
    """Draw the field, in the fragment that draws what follows the text.

    Parameters
    ----------
    key : of the element in the page.
    text : what the field has, unless the visitor has typed since.
    label : its accessible name.
    on_type : called with the text before that fragment runs again.
    on_rest : called when the visitor pauses; `st.rerun` in it names the fragments that follow only then.
    most : characters that it takes.
    has_lines : whether Enter begins another line.
    lang : language of the text.
    """

    def typed(value: Any) -> None:
        if isinstance(value, str):
            on_type(value)

    labels = checked_labels(_component.labels({"label": label}), LABELS)
    data = {"text": text, "labels": labels, "most": most, "has_lines": has_lines, "lang": lang}
    _component.draw(key, data, typed=typed, rested=lambda _: on_rest())
