"""Pre-tokenization by a regular expression of the user's own, with the `regex` module."""

from collections.abc import Callable

import regex

from engine.errors import InputError

# A pattern of the user's own may backtrack for ever on a hostile line; this is what one line may take.
REGEX_TIMEOUT_SECONDS = 2.0


def regex_cutter(pattern: str) -> Callable[[str], list[int]]:
    """The function from a line to the ends of its pre-tokens: the matches, and what lies between them.

    It raises InputError where the pattern takes longer than REGEX_TIMEOUT_SECONDS on a line.

    Raises
    ------
    InputError : the pattern is not a valid regular expression.
    """
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise InputError(
            "the pre-tokenization pattern is not a valid regular expression: {detail}; correct it",
            code="pattern.invalid",
            detail=str(error),
        ) from None

    def cut(text: str) -> list[int]:
        ends: list[int] = []
        try:
            for match in compiled.finditer(text, timeout=REGEX_TIMEOUT_SECONDS):
                # Text between two matches is a pre-token of its own, and so is what follows the last match.
                for end in (match.start(), match.end()):
                    if end > (ends[-1] if ends else 0):
                        ends.append(end)
        except TimeoutError:
            raise InputError(
                "the pre-tokenization pattern took over {seconds:g} s on one line; "
                "it backtracks too much: simplify nested repetitions",
                code="pattern.slow",
                seconds=REGEX_TIMEOUT_SECONDS,
            ) from None
        if len(text) > (ends[-1] if ends else 0):
            ends.append(len(text))
        return ends

    return cut
