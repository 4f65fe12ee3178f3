"""A hook of MkDocs: where a page of the repository links to a function's file, the site shows the function."""

import re

_LINK = re.compile(r"^\[`(\w+)`\]\(\.\./(engine/[\w/]+)\.py\)$", re.MULTILINE)
_HIDDEN = ("root_heading", "root_toc_entry", "docstring_description", "docstring_parameters", "docstring_returns")
_OPTIONS = ", ".join(["show_source: true", *(f"show_{part}: false" for part in _HIDDEN)])


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page with the code of functions whose links are lines of their own."""
    return _LINK.sub(
        lambda link: f"`{link[1]}`\n\n::: {link[2].replace('/', '.')}.{link[1]}\n    options: {{{_OPTIONS}}}\n",
        markdown,
    )
