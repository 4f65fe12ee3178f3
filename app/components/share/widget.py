"""The one menu of all Share buttons: any element of the page with `data-share`, in a component or not, opens it.

It acts in the browser. What only the server knows is in the page, in `data-facts` (app.parts.share); a CSV file comes
from the page's own button for it.
"""

from app.components.shared.widget import Component
from app.texts.i18n import raw, t

_ACTS = ("link", "image", "png", "svg", "embed", "csv", "command")
_SAID = ("copied", "blocked", "image_blocked", "drawing", "nothing", "failed", "saved", "no_data", "no_command")

_component = Component("share", ("picture",), ("title", *_ACTS, *_SAID), lambda name: raw(f"share.{name}"))


def share_menu(page: str, of: str, embed_note: str | None) -> None:
    """Mount the menu.

    Parameters
    ----------
    page : its name, with which the names of files begin.
    of : the rest of the names where a picture has no data.
    embed_note : what is said with the embed code; None if the page cannot be embedded.
    """
    notes = {"embed_note": embed_note, "command_note": t("command.note")}
    _component.draw("share_menu", {"labels": _component.labels(), "page": page, "of": of, **notes})
