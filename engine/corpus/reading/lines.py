"""What a line is."""


def split_lines(text: str) -> list[str]:
    """Lines of `text`: they end at \\n only, and a final \\n does not begin another line."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines
