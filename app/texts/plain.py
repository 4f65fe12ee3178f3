"""User text prepared for display on a page."""

import re

from engine.hangul.jamo import readable

# Streamlit turns even escaped text into icons, emoji, links, arrows and dashes, unless something breaks the sequence.
# `_NOTHING` does, and renders as nothing.
_SEAM = re.compile(r"\\:(?=[\w/\\])|www(?=\\\.)|\\@|\\[<>~-](?=\\[>=-])", re.IGNORECASE)
_NOTHING = ":small[]"


def plain(text: str) -> str:
    """Escape `text` for Markdown: a file name or a token may contain anything."""
    escaped = "".join("\\" + c if c in r"\`*_{}[]()<>#+-.!|~$:@^=&" else c for c in text)
    return _SEAM.sub(rf"\g<0>{_NOTHING}", escaped)


def visible_space(text: str) -> str:
    """`text` with spaces as ␣, line ends and tabs as ↵ and ⇥, and jamo `readable`."""
    return readable(text).replace(" ", "␣").replace("\n", "↵").replace("\r", "␍").replace("\t", "⇥")


_MARKED = re.compile(r"\[([^]]*)\]\([^)]*\)|\*\*(.+?)\*\*|`(.+?)`")


def unmarked(text: str) -> str:
    """A catalogue text without Markdown (bold, code and links), for places that do not render it.

    >>> unmarked("a **bold [link](term:link)** and a `word`")
    'a bold link and a word'
    """
    # Outside in: links may be bold.
    once = _MARKED.sub(_inside, text)
    return _MARKED.sub(_inside, once)


def _inside(found: re.Match[str]) -> str:
    return found[1] or found[2] or found[3] or ""
