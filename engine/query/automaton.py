"""The automaton of a query, by the construction of Glushkov (1961): one state for each bracket, no empty moves.

Its size is the number of brackets when every repetition is written out, and simulating it never backtracks.
"""

from dataclasses import dataclass, field

from engine.query.syntax import Alternatives, Bracket, Chain, Repetition, Tree


@dataclass
class Automaton:
    """The states of a query.

    Parameters
    ----------
    brackets : one per state.
    follow : for each state, the states that may come next, ascending.
    first, last : the states that a match may begin and end with.
    """

    brackets: list[Bracket] = field(default_factory=list)
    follow: list[list[int]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Ends:
    """First and last states of a part, and whether it may be empty."""

    first: frozenset[int]
    last: frozenset[int]
    may_be_empty: bool


_EMPTY = _Ends(frozenset(), frozenset(), True)


def automaton_of(tree: Tree) -> Automaton:
    """The automaton of a tree."""
    made = _Builder()
    part = made.build(tree)
    follow = [sorted(own) for own in made.follow]
    return Automaton(made.brackets, follow, sorted(part.first), sorted(part.last))


class _Builder:
    def __init__(self) -> None:
        self.brackets: list[Bracket] = []
        self.follow: list[set[int]] = []

    def build(self, tree: Tree) -> _Ends:
        if isinstance(tree, Bracket):
            self.brackets.append(tree)
            self.follow.append(set())
            own = frozenset([len(self.brackets) - 1])
            return _Ends(own, own, False)
        if isinstance(tree, Chain):
            return self.in_sequence([self.build(part) for part in tree.parts])
        if isinstance(tree, Alternatives):
            parts = [self.build(part) for part in tree.parts]
            first = frozenset().union(*(one.first for one in parts))
            last = frozenset().union(*(one.last for one in parts))
            return _Ends(first, last, any(one.may_be_empty for one in parts))
        return self.repeated(tree)

    def in_sequence(self, parts: list[_Ends]) -> _Ends:
        whole = _EMPTY
        for part in parts:
            self.link(whole.last, part.first)
            whole = _Ends(
                whole.first | part.first if whole.may_be_empty else whole.first,
                whole.last | part.last if part.may_be_empty else part.last,
                whole.may_be_empty and part.may_be_empty,
            )
        return whole

    def repeated(self, tree: Repetition) -> _Ends:
        """x{2,4} is x x (x (x)?)?; x{2,} is x x+; the nesting keeps the number of moves small."""
        n_parts = max(1, tree.low if tree.high is None else tree.high)
        parts = [self.build(tree.part) for _ in range(n_parts)]
        if tree.high is None:
            self.link(parts[-1].last, parts[-1].first)
        whole = _EMPTY
        for number, part in reversed(list(enumerate(parts))):
            whole = self.in_sequence([part, whole])
            if number >= tree.low:
                whole = _Ends(whole.first, whole.last, True)
        return whole

    def link(self, before: frozenset[int], after: frozenset[int]) -> None:
        for state in before:
            self.follow[state] |= after
