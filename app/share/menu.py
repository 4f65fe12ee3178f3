"""The one menu of all Share buttons: any element of the page with `data-share`, in a component or not, opens it.

It acts in the browser. What only the server knows is in the page, in `data-facts` (app.share.facts); a table comes
from the page's own button for it. For print the picture is laid out anew in the browser; the server makes the PDF and
the package of it (app.share.routes).
"""

from app.components.component import RawText, draw
from app.texts.i18n import t
from engine.report.references import PAPER, PROGRAM, bibtex
from engine.report.size import DEFAULT_LETTERS, LETTERS, ONE_COLUMN, TWO_COLUMNS, WIDTHS


def share_menu(page: str, of: str, embed_note: str | None, package: str) -> None:
    """Mount the menu.

    Parameters
    ----------
    page : its name, with which the names of files begin.
    of : the rest of the names where a picture has no data.
    embed_note : what is said with the embed code; None if the page cannot be embedded.
    package : the token of the session's package.
    """
    data = {
        "page": page,
        "of": of,
        "package": package,
        "sizes": _sizes(),
        "embed_note": embed_note,
        "command_note": t("command.note"),
        "citation": RawText(bibtex((PROGRAM, PAPER))),
    }
    draw("share", "share_menu", data)


def _sizes() -> dict[str, object]:
    """Bounds of the size on paper, what it is at first, and the widths to choose from."""
    widths = {"low": WIDTHS[0], "high": WIDTHS[1], "usual": TWO_COLUMNS}
    letters = {"low": LETTERS[0], "high": LETTERS[1], "usual": DEFAULT_LETTERS}
    columns = [
        (t("share.one_column", width=ONE_COLUMN), ONE_COLUMN),
        (t("share.two_columns", width=TWO_COLUMNS), TWO_COLUMNS),
    ]
    return {"width": widths, "letters": letters, "columns": columns}
