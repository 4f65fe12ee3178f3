"""The colours of all pictures, here and in the app's components and figures."""

# Blue and vermillion (Okabe and Ito) are distinct for every kind of colour vision.
BLUE, VERMILLION, GREEN, PINK, OCHRE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B"

# The app's font, and what a reader without it may have.
FONT = "'Noto Sans KR', 'Noto Sans SC', 'Malgun Gothic', 'Apple SD Gothic Neo', sans-serif"
CODE_FONT = "'Source Code Pro', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

THEMES = ("light", "dark", "auto")


def mixed(colour: str, percent: float, other: str) -> str:
    """So many percent of a colour in another one, as CSS mixes them in sRGB.

    >>> mixed("#000000", 50, "#FFFFFF")
    '#808080'
    """
    parts = (round((a * percent + b * (100 - percent)) / 100) for a, b in zip(_rgb(colour), _rgb(other), strict=True))
    return "#" + "".join(f"{part:02X}" for part in parts)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def _luminance(colour: str) -> float:
    shares = (part / 255 for part in _rgb(colour))
    linear = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _paints(ink: str, paper: str) -> dict[str, str]:
    """Colours by their use, as in app/components/styles/base.css and strip.css."""
    return {
        "ink": ink,
        "paper": paper,
        "faint": mixed(ink, 74, paper),
        "outline": mixed(ink, 56, paper),
        "even": mixed(BLUE, 22, paper),
        "odd": mixed(ink, 6, paper),
        "blue": BLUE,
        "blue_line": mixed(BLUE, 80, ink),
        "best": VERMILLION,
        "best_line": mixed(VERMILLION, 90, ink),
        "morpheme": mixed(GREEN, 34, paper),
        "stem_ending": mixed(BLUE, 30, paper),
        "several": mixed(OCHRE, 34, paper),
        "cut": mixed(VERMILLION, 40, paper),
        "across": mixed(PINK, 34, paper),
    }


# Text and background are those of Streamlit's themes.
LIGHT, DARK = _paints("#2F2D2B", "#FFFFFF"), _paints("#EDEBE8", "#171614")
