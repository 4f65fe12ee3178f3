"""Tokens by hand: the merges that build the tokens of a list, after all others."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.errors import InputError
from engine.fit.continued import NewMerges
from engine.fit.editable import LONGEST_TOKEN, Editable, NewMerge

MOST_LISTED = 100_000


class ListedTokens(NamedTuple):
    """The merges that a list needs, the text of each of its tokens by new id, and by line why others are left out."""

    merges: list[NewMerge]
    texts: dict[int, str]
    left_out: dict[int, InputError]

    def parts(self) -> list[int]:
        """The new ids that the list does not name: what its tokens are merged from."""
        return sorted({merge.made for merge in self.merges} - self.texts.keys())


def listed_merges(editable: Editable, tokens: Sequence[str], lost: Collection[int] = ()) -> ListedTokens:
    """The pieces that a token has today merge from left to right; what this makes on the way becomes a token too.

    Parameters
    ----------
    tokens : of lines 1, 2, ...; a token that follows a space begins with it.
    lost : lines of which is known that their token is not reached.

    Raises
    ------
    InputError : there are more than MOST_LISTED tokens.
    """
    if len(tokens) > MOST_LISTED:
        raise InputError("fit.list", count=len(tokens), most=MOST_LISTED)
    left_out: dict[int, InputError] = {}
    pieces: dict[int, list[int]] = {}
    for line, token in enumerate(tokens, start=1):
        try:
            pieces[line] = _pieces(editable, token)
        except InputError as error:
            left_out[line] = error
    unreached = set(lost) & pieces.keys()
    while True:
        left_out |= {line: InputError("fit.token_lost", token=tokens[line - 1]) for line in unreached}
        made, lines, repeated = NewMerges(editable), dict[int, int](), set[int]()
        built = {line: _build(made, ids) for line, ids in pieces.items() if line not in left_out}
        for line, token_id in built.items():
            if lines.setdefault(token_id, line) != line:
                repeated.add(line)
        unreached = {line for line, token_id in built.items() if token_id < 0}
        if not unreached:
            break
    left_out |= {line: InputError("fit.token_repeated", token=tokens[line - 1]) for line in repeated}
    texts = {token_id: tokens[line - 1] for token_id, line in lines.items()}
    return ListedTokens(made.merges, texts, dict(sorted(left_out.items())))


def _pieces(editable: Editable, token: str) -> list[int]:
    """The tokens of a text that may become one; InputError if it cannot."""
    if not token:
        raise InputError("fit.token_empty")
    if len(token) > LONGEST_TOKEN:
        raise InputError("fit.token_long", token=token[:40], most=LONGEST_TOKEN)
    if token in editable.tokenizer.special_tokens:
        raise InputError("fit.token_set_apart", token=token)
    words = editable.words([token], 1)
    if words.weight.sum() > 1:
        raise InputError("fit.token_cut", token=token, parts=" | ".join(editable.pretokens(token)))
    if not words.symbols.size:
        raise InputError("fit.token_set_apart", token=token)
    if words.symbols.size == 1:
        raise InputError("fit.token_known", token=token)
    if (words.symbols < 0).any():
        raise InputError("fit.token_unknown", token=token)
    pieces: list[int] = words.symbols.tolist()
    return pieces


def _build(made: NewMerges, pieces: list[int]) -> int:
    """The token that all pieces become, with the merges this takes; -1 if no two pieces may merge."""
    while True:
        merges = [(rank, at) for at, pair in enumerate(pairwise(pieces)) if (rank := made.rank(*pair))]
        if merges:
            (_, token), at = min(merges)
            pieces = [*pieces[:at], token, *pieces[at + 2 :]]
        elif len(pieces) == 1:
            return pieces[0]
        elif all(made.add(*pair) < 0 for pair in pairwise(pieces)):
            return -1
