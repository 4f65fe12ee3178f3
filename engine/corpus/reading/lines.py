"""The definition of a line."""


def split_lines(text: str) -> list[str]:
    """Split `text` at \\n only; a final \\n does not start another line."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines
