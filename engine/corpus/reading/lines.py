"""The definition of a line: it ends at \\n, \\r\\n or \\r."""


def with_line_feeds(text: str) -> str:
    """The text with \\n at the end of every line."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_lines(text: str) -> list[str]:
    """Lines of a text; a final line end does not start another line."""
    lines = with_line_feeds(text).split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines
