"""Morphemes as pre-tokens, found by MeCab-ko through the optional package python-mecab-ko."""

from functools import lru_cache
from typing import Any

from engine.corpus.pretokenize import to_codes
from engine.errors import InputError

# The package needs time in proportion to the square of a text's length, so a long line is analysed in pieces.
_PIECE = 1000


@lru_cache(maxsize=1)
def _tagger() -> Any:
    """The analyser with its dictionary; it may be used by several threads."""
    try:
        import mecab
    except ImportError:
        raise InputError(
            "morphemes need the package python-mecab-ko, which is not installed; "
            "run: pip install python-mecab-ko, or choose another pre-tokenizer",
            code="mecab.missing",
        ) from None
    return mecab.MeCab()


def _pieces(text: str) -> list[tuple[int, int]]:
    """Stretches of the text to analyse: without NUL, which ends a text for MeCab, and cut at spaces where long."""
    pieces = []
    begin = 0
    while begin < len(text):
        end = text.find("\0", begin)
        end = len(text) if end < 0 else end
        if end - begin > _PIECE:
            space = text.rfind(" ", begin + 1, begin + _PIECE)
            end = space if space > begin else begin + _PIECE
        if end > begin:
            pieces.append((begin, end))
        begin = end + 1 if end < len(text) and text[end] == "\0" else end
    return pieces


def morpheme_ends(text: str) -> list[int]:
    """Ends of the morphemes of one line; what they cut it into, joined, is the line.

    A space (U+0020) directly before a morpheme belongs to it, as in the other pre-tokenizers. Other white space, and
    whatever the analyser passes over, is cut off as a pre-token of its own.

    Raises
    ------
    InputError : the package is not installed, or the text holds a lone surrogate.
    """
    tagger = _tagger()
    to_codes(text)
    cuts = {len(text)}
    for begin, end in _pieces(text):
        cuts.add(begin)
        at = begin
        for morpheme in tagger.parse(text[begin:end]):
            # Not its span: that is wrong where the text begins with white space.
            at = text.find(morpheme.surface, at, end)
            cuts.discard(at)  # the space before a morpheme may be the last character of the piece before
            cuts.add(at - 1 if at > 0 and text[at - 1] == " " else at)
            at += len(morpheme.surface)
            cuts.add(at)
    return sorted(cuts - {0})
