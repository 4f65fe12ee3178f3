"""Errors that point at the place in a query."""

import unicodedata

from engine.errors import InputError


class QueryError(InputError):
    """A query that cannot be used.

    Parameters
    ----------
    code : key of the message, which quotes `{at}`: the place as a number from 1.
    query : the whole query.
    at : index of the character.
    """

    def __init__(self, code: str, /, query: str, at: int, **values: object) -> None:
        super().__init__(code, query=query, at=at + 1, **values)

    @property
    def pointed(self) -> str:
        """The query, and below it a caret under the place."""
        query, at = str(self.values["query"]), int(str(self.values["at"])) - 1
        return f"{query}\n{''.join(map(_blank, query[:at]))}^"


def _blank(char: str) -> str:
    """White space as wide as the character in a font with fixed widths; none for a combining mark."""
    if unicodedata.combining(char):
        return ""
    return "\u3000" if unicodedata.east_asian_width(char) in "WF" else " "
