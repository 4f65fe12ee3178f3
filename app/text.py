"""User text on its way to the page."""


def plain(text: str) -> str:
    """`text` so that Markdown shows it as it is: a file's name or a token may hold anything."""
    return "".join("\\" + c if c in r"\`*_{}[]()<>#+-.!|~$:@^=" else c for c in text)


def visible_space(text: str) -> str:
    """`text` with spaces as ␣, line ends and tabs as ↵ and ⇥."""
    return text.replace(" ", "␣").replace("\n", "↵").replace("\r", "␍").replace("\t", "⇥")
