"""Gold segmentations that come with the app."""

from functools import cache

from app import ASSETS
from engine.boundaries.gold import Gold, gold_of
from engine.corpus.read import read_lines

_FOLDER = ASSETS / "gold"

# Korean without spaces, its morphemes marked, and two word standards for the same Chinese sentences.
GOLD = ("ko_nospace", "zh_words", "zh_fine")


def gold_language(name: str) -> str:
    """Language of a gold's text; a visitor's own may be in any."""
    return {"zh": "zh", "ko": "ko"}.get(name[:2], "")


@cache
def builtin_gold(name: str) -> Gold:
    """One of GOLD."""
    corpora = _FOLDER.parent / "corpora"
    more = [corpora / "multi" / "zh.txt"] if name.startswith("zh") else sorted((corpora / "ko").glob("*.txt"))
    lines = [line for path in more for line in read_lines(path, "utf-8")]
    return gold_of(read_lines(_FOLDER / f"{name}.txt", "utf-8"), lines)
