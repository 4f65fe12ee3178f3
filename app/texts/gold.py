"""Gold segmentations: built-in ones, and the visitor's own."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import regex

from app import ASSETS
from app.texts.corpora import Text, own_text
from engine.corpus.reading.read import read_lines
from engine.segmentation.scoring import read_gold
from engine.segmentation.segmenter import read_training

_FOLDER = ASSETS / "gold"
_HAN = regex.compile(r"\p{Script=Han}")

# Korean without spaces, split into morphemes, and the same Chinese sentences under two word standards.
GOLD = ("ko_nospace", "zh_words", "zh_fine")


def gold_language(name: str) -> str:
    return {"zh": "zh", "ko": "ko"}.get(name[:2], "")


class GoldText(NamedTuple):
    """A gold segmentation, and text of its language to learn from.

    Attributes
    ----------
    words : the words of every line.
    test : the lines to score, held out of `train`: three in ten, or all if there is a training text.
    train : the other lines without spaces, plus more text of the language if available; or the training text.
    whole : distinct eojeols kept as one word because their morphemes could not be aligned, with their counts, most
        frequent first.
    n_left_out : number of sentences beyond the limit.
    file : name of the visitor's file.
    training : the visitor's training text.
    known : the words of `training`, if it has spaces.
    """

    words: tuple[tuple[str, ...], ...]
    test: tuple[tuple[str, ...], ...]
    train: tuple[str, ...]
    whole: tuple[tuple[str, int], ...] = ()
    n_left_out: int = 0
    file: str = ""
    training: Text | None = None
    known: frozenset[str] = frozenset()

    def texts(self) -> list[Text]:
        """The gold words joined by spaces, and the training text."""
        words = own_text("\n".join(map(" ".join, self.words)), self.file)
        return [words, self.training or own_text("\n".join(self.train))]

    def learned_from(self, text: Text) -> "GoldText":
        """With a training text, as `segment --train`: learn from it alone, and score all lines."""
        train, known = read_training(text.lines())
        return self._replace(test=self.words, train=train, training=text, known=known)

    @property
    def is_chinese(self) -> bool:
        text = "".join(word for own in self.words for word in own)
        return 2 * len(_HAN.findall(text)) > len(text)

    def corrected(self, sentences: Iterable[str]) -> "GoldText":
        """With some sentences resegmented: each is given as words joined by spaces."""
        others = {"".join(words): tuple(words) for words in map(str.split, sentences)}

        def corrected(gold: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
            return tuple(others.get("".join(own), own) for own in gold)

        return self._replace(words=corrected(self.words), test=corrected(self.test))


def gold_of(lines: list[str], more: list[str] | None = None, limit: int | None = None) -> GoldText:
    """Parse gold lines with `engine.segmentation.scoring.read_gold`; keep the first `limit` sentences."""
    found = read_gold(lines)
    every = tuple(tuple(own) for own in found.words if own)
    words = every[:limit]
    # A single line is both trained and tested on: enough to show how the page works, no more.
    test = tuple(own for k, own in enumerate(words) if k % 10 in (2, 5, 8)) or words
    kept = [own for k, own in enumerate(words) if k % 10 not in (2, 5, 8)] or words
    train = ["".join(own) for own in kept] + ["".join(line.split()) for line in more or []]
    return GoldText(words, test, tuple(line for line in train if line), found.whole, len(every) - len(words))


@cache
def builtin_gold(name: str) -> GoldText:
    corpora = _FOLDER.parent / "corpora"
    more = [corpora / "multi" / "zh.txt"] if name.startswith("zh") else sorted((corpora / "ko").glob("*.txt"))
    lines = [line for path in more for line in read_lines(path, "utf-8")]
    return gold_of(read_lines(_FOLDER / f"{name}.txt", "utf-8"), lines)
