"""Where a text may be cut."""


def cut_places(text: str) -> tuple[int, ...]:
    """Character offsets at which a text may be cut: those without white space on either side."""
    return tuple(k for k in range(1, len(text)) if not (text[k - 1].isspace() or text[k].isspace()))
