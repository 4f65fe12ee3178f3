"""User text on its way to the page."""

import re

from engine.hangul.jamo import readable

# Streamlit makes icons, emoji, links, arrows and dashes of a text even where it is escaped; it does not where something
# stands in their middle, and this draws nothing.
_SEAM = re.compile(r"\\:(?=[\w/\\])|www(?=\\\.)|\\@|\\[<>~-](?=\\[>=-])", re.IGNORECASE)
_NOTHING = ":small[]"


def plain(text: str) -> str:
    """`text` so that Markdown shows it as it is: a file's name or a token may hold anything."""
    escaped = "".join("\\" + c if c in r"\`*_{}[]()<>#+-.!|~$:@^=&" else c for c in text)
    return _SEAM.sub(rf"\g<0>{_NOTHING}", escaped)


def visible_space(text: str) -> str:
    """`text` with spaces as ␣, line ends and tabs as ↵ and ⇥, and jamo `readable`."""
    return readable(text).replace(" ", "␣").replace("\n", "↵").replace("\r", "␍").replace("\t", "⇥")


_MARKED = re.compile(r"\[([^]]*)\]\([^)]*\)|\*\*(.+?)\*\*|`(.+?)`")


def unmarked(text: str) -> str:
    """A text of the catalogue without its Markdown, for where nobody reads that: bold, code and links.

    >>> unmarked("a **bold** `word` and a [link](term:link)")
    'a bold word and a link'
    """
    return _MARKED.sub(lambda found: found[1] or found[2] or found[3] or "", text)
