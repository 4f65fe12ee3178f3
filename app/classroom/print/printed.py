"""Pages to be read, or printed and so saved as PDF: the handout of a class and its report."""

import html
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from app.texts.catalogue import translate

PRINT = "print.js"
_STYLE = Path(__file__).resolve().parents[3] / "assets" / "styles" / "handout.css"
# The policy allows no script within a page.
_SCRIPT = 'document.querySelector("button.print").addEventListener("click", () => print());\n'


def printed_page(language: str, title: str, content: str, right: str = "") -> str:
    """The HTML of a page with a button that prints it.

    Parameters
    ----------
    title : plain text.
    content : HTML.
    right : HTML to the right of the heading.
    """
    head, button = html.escape(title), html.escape(translate("report.print", language))
    return (
        f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8"><title>{head}</title>'
        f'<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        '<link rel="icon" href="favicon.png">'
        f'<style>{_STYLE.read_text(encoding="utf-8")}</style><script src="{PRINT}" defer></script>'
        f'<button class="print" type="button">{button}</button>'
        f"<header><h1>{head}</h1>{right}</header>{content}</html>"
    )


def print_script(request: Request) -> Response:
    return Response(_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "no-cache"})
