"""Gold segmentations: the ones that come with the app, and one of the visitor's own."""

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

# Korean without spaces, its morphemes marked, and two word standards for the same Chinese sentences.
GOLD = ("ko_nospace", "zh_words", "zh_fine")


def gold_language(name: str) -> str:
    """Language of a gold's text; a visitor's own may be in any."""
    return {"zh": "zh", "ko": "ko"}.get(name[:2], "")


class GoldText(NamedTuple):
    """A gold segmentation, and text of its language.

    Attributes
    ----------
    words : of every line.
    test : of the lines that are scored, three of ten; boundaries are not learned on them. All of them where there is a
        training text.
    train : the other lines without spaces and, where there is, more text of the language. Only the lines of the
        training text where there is one.
    whole : distinct eojeols that are one word because their morphemes could not be laid onto them, each with how often
        it occurs, the most frequent first.
    n_left_out : sentences after these that there was no room for.
    file : name of the visitor's own file.
    training : a text of the visitor's own that everything is learned from.
    known : its words, where they have spaces between them.
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
        """Its words with spaces between them, and what is learned from."""
        words = own_text("\n".join(map(" ".join, self.words)), self.file)
        return [words, self.training or own_text("\n".join(self.train))]

    def learned_from(self, text: Text) -> "GoldText":
        """With a training text as of `segment --train`: everything is learned from it, and all lines are scored."""
        train, known = read_training(text.lines())
        return self._replace(test=self.words, train=train, training=text, known=known)

    @property
    def is_chinese(self) -> bool:
        """Whether most of its characters are Chinese ones."""
        text = "".join(word for own in self.words for word in own)
        return 2 * len(_HAN.findall(text)) > len(text)

    def corrected(self, sentences: Iterable[str]) -> "GoldText":
        """With other words for some sentences: each is its words with a space between them."""
        others = {"".join(words): tuple(words) for words in map(str.split, sentences)}

        def corrected(gold: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
            return tuple(others.get("".join(own), own) for own in gold)

        return self._replace(words=corrected(self.words), test=corrected(self.test))


def gold_of(lines: list[str], more: list[str] | None = None, limit: int | None = None) -> GoldText:
    """Gold lines as `engine.segmentation.scoring.read_gold` reads them; of more sentences than `limit` the first."""
    found = read_gold(lines)
    every = tuple(tuple(own) for own in found.words if own)
    words = every[:limit]
    # A single line is trained and tested on; it shows how the page works, no more.
    test = tuple(own for k, own in enumerate(words) if k % 10 in (2, 5, 8)) or words
    kept = [own for k, own in enumerate(words) if k % 10 not in (2, 5, 8)] or words
    train = ["".join(own) for own in kept] + ["".join(line.split()) for line in more or []]
    return GoldText(words, test, tuple(line for line in train if line), found.whole, len(every) - len(words))


@cache
def builtin_gold(name: str) -> GoldText:
    """One of GOLD."""
    corpora = _FOLDER.parent / "corpora"
    more = [corpora / "multi" / "zh.txt"] if name.startswith("zh") else sorted((corpora / "ko").glob("*.txt"))
    lines = [line for path in more for line in read_lines(path, "utf-8")]
    return gold_of(read_lines(_FOLDER / f"{name}.txt", "utf-8"), lines)
