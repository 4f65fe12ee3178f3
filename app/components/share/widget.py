"""The one menu of all Share buttons: any element of the page with `data-share`, in a component or not, opens it.

It acts in the browser. What only the server knows is in the page, in `data-facts` (app.parts.share); a table comes
from the page's own button for it. For print the picture is laid out anew in the browser; the server makes the PDF and
the package of it (app.server.http.figure).
"""

from app.components.shared.widget import Component
from app.texts.i18n import raw, t
from engine.report.references import PAPER, PROGRAM, bibtex
from engine.report.size import DEFAULT_LETTERS, LETTERS, ONE_COLUMN, TWO_COLUMNS, WIDTHS

_ACTS = ("link", "image", "png", "svg", "embed", "csv", "tex", "md", "command", "cite", "pdf", "print_svg", "package")
_MESSAGES = ("copied", "blocked", "image_blocked", "drawing", "nothing", "failed", "saved", "no_data", "no_command")
_PRINT = ("print", "width", "letters", "bad_size", "no_room", "saved_dark", "cite_note")

_component = Component("share", ("picture",), ("title", *_ACTS, *_MESSAGES, *_PRINT), lambda name: raw(f"share.{name}"))


def share_menu(page: str, of: str, embed_note: str | None, package: str) -> None:
    """Mount the menu.

    Parameters
    ----------
    page : its name, with which the names of files begin.
    of : the rest of the names where a picture has no data.
    embed_note : what is said with the embed code; None if the page cannot be embedded.
    package : the token of the session's package.
    """
    notes = {"embed_note": embed_note, "command_note": t("command.note"), "citation": bibtex((PROGRAM, PAPER))}
    about = {"page": page, "of": of, "package": package, "sizes": _sizes()}
    _component.draw("share_menu", {"labels": _component.labels(), **about, **notes})


def _sizes() -> dict[str, object]:
    """Bounds of the size on paper, what it is at first, and the widths to choose from."""
    widths = {"low": WIDTHS[0], "high": WIDTHS[1], "usual": TWO_COLUMNS}
    letters = {"low": LETTERS[0], "high": LETTERS[1], "usual": DEFAULT_LETTERS}
    columns = [
        (t("share.one_column", width=ONE_COLUMN), ONE_COLUMN),
        (t("share.two_columns", width=TWO_COLUMNS), TWO_COLUMNS),
    ]
    return {"width": widths, "letters": letters, "columns": columns}
