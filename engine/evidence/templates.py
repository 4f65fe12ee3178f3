"""The formats of Thunder-Tok's evaluation prompts (appendix B, Tables 7 to 10), filled with consecutive lines.

Table 3 of the paper measures fertility on texts in these formats, so a comparison with it should too.
"""

from collections.abc import Sequence

# By benchmark; {a} is one line of the text and {b} the next.
TEMPLATES = {
    "none": "",
    "hellaswag": "{a} {b}",
    "copa": "{a} 그래서 {b}",
    "arc": "질문: {a} 답변: {b}",
    "lambada": "{a}{b}",
}


def wrap(lines: Sequence[str], template: str) -> list[str]:
    """Pairs of lines in one of TEMPLATES; an unpaired last line is unchanged."""
    shape = TEMPLATES[template]
    if not shape:
        return list(lines)
    pairs = zip(lines[::2], lines[1::2], strict=False)
    return [*(shape.format(a=a, b=b) for a, b in pairs), *lines[len(lines) - len(lines) % 2 :]]
