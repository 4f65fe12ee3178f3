"""Tokens by hand: the merges that build the tokens of a list, after all others."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.errors import InputError
from engine.fit.editable import LONGEST_TOKEN, Editable, NewMerge
from engine.fit.merges import NewMerges

MOST_LISTED = 100_000


class ListedTokens(NamedTuple):
    """The merges that a list needs, the text of each of its tokens by new id, and by line why others are left out."""

    merges: list[NewMerge]
    texts: dict[int, str]
    left_out: dict[int, InputError]

    def parts(self) -> list[int]:
        """The new ids that the list does not name: what its tokens are merged from."""
        return sorted({merge.made for merge in self.merges} - self.texts.keys())


NO_LIST = ListedTokens([], {}, {})


def listed_merges(
    editable: Editable, tokens: Sequence[str], lost: Collection[str] = (), n_known: int | None = None
) -> ListedTokens:
    """The pieces that a token has today merge from left to right; what this makes on the way becomes a token too.

    Parameters
    ----------
    tokens : of lines 1, 2, ...; a token that follows a space begins with it.
    lost : tokens of which is known that they are not reached.
    n_known : ids from here on are characters that the list brings; by default there are none.

    Raises
    ------
    InputError : there are more than MOST_LISTED tokens.
    """
    check_count(tokens)
    made, listed = NewMerges(editable), ListedTokens([], {}, {})
    for line, token in enumerate(tokens, start=1):
        try:
            pieces = _pieces(editable, token, editable.tokenizer.vocab_size if n_known is None else n_known)
            token_id = -1 if token in lost else _build(made, pieces)
            if token_id in listed.texts:
                raise InputError("fit.token_repeated", token=token)
            if token_id < 0:
                raise InputError("fit.token_lost", token=token)
            listed.texts[token_id] = token
        except InputError as error:
            listed.left_out[line] = error
    return listed._replace(merges=made.merges)


def check_count(tokens: Sequence[str]) -> None:
    """InputError if a list is too long."""
    if len(tokens) > MOST_LISTED:
        raise InputError("fit.list", count=len(tokens), most=MOST_LISTED)


def check_listed(editable: Editable, token: str) -> None:
    """InputError for what is a token in no tokenizer."""
    if not token:
        raise InputError("fit.token_empty")
    if len(token) > LONGEST_TOKEN:
        raise InputError("fit.token_long", token=token[:40], most=LONGEST_TOKEN)
    if token in editable.tokenizer.special_tokens:
        raise InputError("fit.token_set_apart", token=token)


def _pieces(editable: Editable, token: str, n_known: int) -> list[int]:
    """The tokens of a text that may become one; InputError if it cannot."""
    check_listed(editable, token)
    words = editable.word(token)
    if words.weight.sum() > 1:
        raise InputError("fit.token_cut", token=token, parts=" | ".join(editable.pretokens(token)))
    if not words.symbols.size:
        raise InputError("fit.token_set_apart", token=token)
    if words.symbols.size == 1 and words.symbols[0] < n_known:
        raise InputError("fit.token_known", token=token)
    if (words.symbols < 0).any():
        raise InputError("fit.token_unknown", token=token)
    pieces: list[int] = words.symbols.tolist()
    return pieces


def _build(made: NewMerges, pieces: list[int]) -> int:
    """The token that all pieces become, with the merges this takes; -1, and some of them, if no two may merge."""
    while True:
        merges = [(rank, at) for at, pair in enumerate(pairwise(pieces)) if (rank := made.rank(*pair))]
        if merges:
            (_, token), at = min(merges)
            pieces = [*pieces[:at], token, *pieces[at + 2 :]]
        elif len(pieces) == 1:
            return pieces[0]
        elif all(made.add(*pair) < 0 for pair in pairwise(pieces)):
            return -1
