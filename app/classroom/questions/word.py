"""A word or a sentence."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from app.classroom.questions.question import RIGHT, Named, Question
from engine.corpus.normalize import composed

# What simulated students write.
_WORDS = {
    "ko": ("토큰", "어절은 띄어쓰기 단위", "왜 한국어가 더 비싼지", "BPE", "형태소와 토큰이 다르다"),
    "en": ("token", "words are not tokens", "why Korean costs more", "BPE", "a morpheme is not a token"),
}


@dataclass(frozen=True)
class Word(Question[str]):
    """Write a word or a sentence. `right` : accepted answers, ignoring case and spaces; may be empty."""

    limit: int = 40
    right: tuple[str, ...] = ()
    kind: ClassVar[str] = "word"
    n_lines: ClassVar[int] = 3

    def read(self, written: str) -> str | None:
        """The text, truncated to the limit, without lone surrogates and U+FFFD."""
        text = written.encode("utf-8", "ignore").decode().replace("\ufffd", "")
        return text.strip()[: self.limit] or None

    def write(self, answer: str) -> str:
        return answer

    @property
    def solution(self) -> str | None:
        return self.right[0] if self.right else None

    def shape(self, named: Named) -> dict[str, object]:
        return {"limit": self.limit}

    def simulated(self, language: str, dice: Random) -> str:
        is_right = self.right and dice.random() < RIGHT
        return self.right[0] if is_right else dice.choice(_WORDS.get(language, _WORDS["en"]))[: self.limit]

    def score(self, answer: str) -> float | None:
        if not self.right:
            return None
        return float(_compared(answer) in map(_compared, self.right))


def _compared(answer: str) -> str:
    """An answer without white space and case, in NFC."""
    return "".join(composed(answer).split()).casefold()
