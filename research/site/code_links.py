"""A hook of MkDocs: where a page of the repository links to a function's file, the site shows the function."""

import re

_LINK = re.compile(r"^\[`(\w+)`\]\(\.\./(engine/[\w/]+)\.py\)$", re.MULTILINE)
_HIDDEN = ("root_heading", "root_toc_entry", "docstring_description", "docstring_parameters", "docstring_returns")
_OPTIONS = ", ".join(["show_source: true", *(f"show_{part}: false" for part in _HIDDEN)])


def _directive(link: re.Match[str]) -> str:
    function, module = link[1], link[2].replace("/", ".")
    return f"`{function}`\n\n::: {module}.{function}\n    options: {{{_OPTIONS}}}\n"


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page with the code of functions whose links are lines of their own."""
    return _LINK.sub(_directive, markdown)
