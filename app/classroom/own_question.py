"""Questions written by a lecturer: from the fields stored as JSON to a question."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from app.classroom.questions.choice import Choice
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.order import Order
from app.classroom.questions.question import Option, Question
from app.classroom.questions.word import Word
from app.components.data import cut_places
from app.toys.corpus import read_toy_corpus
from app.toys.merges import PairScore, Symbols, apply_merge, first_symbols, rank_pairs
from engine.errors import InputError
from engine.merge_settings import MergeSettings

_N_OPTIONS = 4
_PLUS = "\u00a0+\u00a0"
SETTINGS = MergeSettings(algorithm="bpe", vocab_size=None, continuing="", end_of_word="", mark_place="symbol")


class MergeVote(NamedTuple):
    """The corpus before the merge being voted on.

    Attributes
    ----------
    words : every word's symbols after the merges of the class, and its count.
    pairs : the candidates, most frequent first.
    n_tokens : symbols in the corpus.
    bpe_tokens : symbols in the corpus after the same number of BPE merges.
    """

    words: tuple[tuple[Symbols, int], ...]
    pairs: tuple[PairScore, ...]
    n_tokens: int
    bpe_tokens: int

    @property
    def question(self) -> Choice:
        options = sorted(Option(_PLUS.join(row.pair), _PLUS.join(row.pair)) for row in self.pairs)
        best = tuple(_PLUS.join(row.pair) for row in self.pairs if row.frequency == self.pairs[0].frequency)
        return Choice(tuple(options), best)


MERGE = "merge"
KINDS = (Cuts.kind, Choice.kind, Numbers.kind, Order.kind, Word.kind, MERGE)
MAX_PROMPT, MAX_SENTENCE, MAX_OPTIONS, MAX_OPTION = 200, 120, 8, 60
_LARGEST = 100_000


class OwnQuestion(NamedTuple):
    """A question as typed.

    Attributes
    ----------
    merges : for a vote on a merge, the merges the class made before.
    right : the right answer, empty for none: the sentence with its cuts (`un|do`), a whole number, or, one per line,
        the right options, the options in order, or the accepted words.
    """

    kind: str
    prompt: str
    content: str
    merges: tuple[str, ...] = ()
    right: str = ""

    @property
    def question(self) -> Question[Any]:
        """The question; InputError if the content is empty or too long, or the kind is unknown."""
        if self.kind == MERGE:
            return self.vote.question
        return _question(self.kind, self.content, self.right)

    @property
    def vote(self) -> MergeVote:
        """The corpus, for a vote on its next merge.

        Raises
        ------
        InputError : the content is not a corpus, or nothing is left to merge.
        """
        return merge_vote(self.content, self.merges)

    @property
    def is_sound(self) -> bool:
        """Whether the content makes a valid question."""
        try:
            _ = self.question
        except InputError:
            return False
        return True


def _question(kind: str, content: str, right: str) -> Question[Any]:
    """A question from its content (the sentence to cut, or the options, one per line) and its right answer."""
    if kind == Cuts.kind:
        sentence = _sentence(content)
        return Cuts(sentence, _right_cuts(sentence, right) if right.strip() else None)
    if kind == Numbers.kind:
        return Numbers(("",), 0, _LARGEST, 1, _right_number(right) if right.strip() else ())
    if kind == Word.kind:
        words = _lines(right)
        if len(words) > MAX_OPTIONS or any(len(word) > MAX_OPTION for word in words):
            raise InputError("room.right_word", limit=MAX_OPTIONS, length=MAX_OPTION)
        return Word(200, words)
    if kind not in KINDS:
        raise InputError("room.kind", kinds=", ".join(KINDS))
    options = _options(content)
    codes = {option.label: option.code for option in options}
    named = _lines(right)
    if not set(named) <= set(codes):
        raise InputError("room.right_option")
    chosen = tuple(codes[label] for label in named)
    if kind == Choice.kind:
        return Choice(options, chosen)
    if chosen and len(chosen) != len(options):
        raise InputError("room.right_order")
    return Order(options, chosen)


def _right_cuts(sentence: str, marked: str) -> tuple[int, ...]:
    pieces = " ".join(marked.split()).split("|")
    cuts = tuple(accumulate(map(len, pieces[:-1])))
    if "".join(pieces) != sentence or not set(cuts) <= set(cut_places(sentence)):
        raise InputError("room.right_cuts")
    return cuts


def _right_number(text: str) -> tuple[float]:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 9 and int(digits) <= _LARGEST):
        raise InputError("room.right_number", limit=_LARGEST)
    return (int(digits),)


def read_own_question(kept: object) -> OwnQuestion:
    """The question stored as JSON; anything else gives one that is not sound."""
    if not isinstance(kept, Mapping) or not isinstance(kept.get("merges", []), list):
        return OwnQuestion("", "", "")
    kind, prompt, content = (str(kept.get(name, "")) for name in ("kind", "prompt", "content"))
    return OwnQuestion(
        kind, prompt[:MAX_PROMPT], content, tuple(map(str, kept.get("merges", []))), str(kept.get("right", ""))
    )


def _sentence(content: str) -> str:
    text = " ".join(content.replace("\ufffd", "").split())
    if not cut_places(text):
        raise InputError("room.no_sentence")
    if len(text) > MAX_SENTENCE:
        raise InputError("room.long_sentence", length=len(text), limit=MAX_SENTENCE)
    return text


def _lines(text: str) -> tuple[str, ...]:
    lines = (" ".join(line.replace("\ufffd", "").split()) for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))


def _options(content: str) -> tuple[Option, ...]:
    labels = _lines(content)
    if not 2 <= len(labels) <= MAX_OPTIONS or max(map(len, labels)) > MAX_OPTION:
        raise InputError("room.options", limit=MAX_OPTIONS, length=MAX_OPTION)
    return tuple(Option(str(number), label) for number, label in enumerate(labels, start=1))


def merge_vote(corpus: str, merges: Sequence[str]) -> MergeVote:
    """The vote after these merges, each given as the code of an option.

    Raises
    ------
    InputError : the corpus is invalid, or fewer than two pairs are left.
    """
    words = [(first_symbols(word, SETTINGS), count) for word, count in read_toy_corpus(corpus).items()]
    by_bpe = list(words)
    for merge in merges:
        words = _merged(words, tuple(merge.split(_PLUS)))
        if best := rank_pairs(by_bpe, SETTINGS):
            by_bpe = _merged(by_bpe, best[0].pair)
    pairs = rank_pairs(words, SETTINGS)[:_N_OPTIONS]
    if len(pairs) < 2:
        raise InputError("room.no_pairs")
    return MergeVote(tuple(words), tuple(pairs), _n_tokens(words), _n_tokens(by_bpe))


def _merged(words: Sequence[tuple[Symbols, int]], pair: tuple[str, ...]) -> list[tuple[Symbols, int]]:
    if len(pair) != 2:
        return list(words)
    return [(apply_merge(symbols, (pair[0], pair[1]), pair[0] + pair[1]), count) for symbols, count in words]


def _n_tokens(words: Sequence[tuple[Symbols, int]]) -> int:
    return sum(len(symbols) * count for symbols, count in words)
