"""The switch of the Learn pages for guessing the next step before it is shown; and content shown on request."""

from app.parts.choices import url_toggle
from app.parts.layout import Layout
from app.texts.i18n import t


def hides_answers() -> bool:
    """The switch; `hide` in the URL, the same on every page."""
    return url_toggle("hide", t("frame.hide_answers"), t("frame.hide_answers_help"))


def are_answers_asked_for(view: Layout) -> bool:
    """Whether a page may show its counts: if answers are hidden, only on request, in place of the picture."""
    with view.scrubber:
        is_hidden = hides_answers()
    with view.pending:
        return not is_hidden or on_request("counted", t("frame.show_counts"))


def on_request(key: str, label: str) -> bool:
    """Whether the visitor wants to see it: until then it is not in the page at all."""
    return url_toggle(key, label)
