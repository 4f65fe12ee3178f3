"""Questions written by a lecturer: from the fields stored as JSON to a question."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from app.lessons.merge_vote import MergeVote, merge_vote
from app.lessons.questions import Choice, Cuts, Numbers, Option, Order, Question, Word, cut_places
from engine.errors import InputError

MERGE = "merge"
KINDS = (Cuts.kind, Choice.kind, Numbers.kind, Order.kind, Word.kind, MERGE)
MAX_PROMPT, MAX_SENTENCE, MAX_OPTIONS, MAX_OPTION = 200, 120, 8, 60
_LARGEST = 100_000


class OwnQuestion(NamedTuple):
    """A question as typed. `merges` : for a vote on a merge, the merges the class made before."""

    kind: str
    prompt: str
    content: str
    merges: tuple[str, ...] = ()

    @property
    def question(self) -> Question[Any]:
        """The question.

        Raises
        ------
        InputError : the content is empty or too long, or the kind is unknown.
        """
        if self.kind == MERGE:
            return self.vote.question
        return _question(self.kind, self.content)

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


def _question(kind: str, content: str) -> Question[Any]:
    """A question from its content: the sentence to cut, or the options, one per line. It has no right answer."""
    if kind == Cuts.kind:
        return Cuts(_sentence(content))
    if kind == Numbers.kind:
        return Numbers(("",), 0, _LARGEST, 1, ())
    if kind == Word.kind:
        return Word(200)
    if kind not in KINDS:
        raise InputError("room.kind", kinds=", ".join(KINDS))
    options = _options(content)
    return Choice(options) if kind == Choice.kind else Order(options, ())


def read_own_question(kept: object) -> OwnQuestion:
    """The question stored as JSON; anything else gives one that is not sound."""
    if not isinstance(kept, Mapping) or not isinstance(kept.get("merges", []), list):
        return OwnQuestion("", "", "")
    kind, prompt, content = (str(kept.get(name, "")) for name in ("kind", "prompt", "content"))
    return OwnQuestion(kind, prompt[:MAX_PROMPT], content, tuple(map(str, kept.get("merges", []))))


def _sentence(content: str) -> str:
    text = " ".join(content.replace("\ufffd", "").split())
    if not cut_places(text):
        raise InputError("room.no_sentence")
    if len(text) > MAX_SENTENCE:
        raise InputError("room.long_sentence", length=len(text), limit=MAX_SENTENCE)
    return text


def _options(content: str) -> tuple[Option, ...]:
    labels = [" ".join(line.replace("\ufffd", "").split()) for line in content.splitlines()]
    labels = list(dict.fromkeys(label for label in labels if label))
    if not 2 <= len(labels) <= MAX_OPTIONS or max(map(len, labels)) > MAX_OPTION:
        raise InputError("room.options", limit=MAX_OPTIONS, length=MAX_OPTION)
    return tuple(Option(str(number), label) for number, label in enumerate(labels, start=1))
