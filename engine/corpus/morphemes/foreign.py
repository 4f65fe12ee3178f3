"""Numbers and words in other scripts as one morpheme each: MeCab knows Korean, and cuts 3.14 and 大韓民國."""

from collections.abc import Container

import numpy as np
import regex

from engine.corpus.morphemes.morpheme import Morpheme

# With the tags of Sejong's set: numbers, with the points and commas inside; Han; all other letters.
_RUNS = regex.compile(
    r"(?P<SN>\p{Nd}+(?:[.,]\p{Nd}+)*)"
    r"|(?P<SH>\p{Script=Han}+)"
    r"|(?P<SL>[\p{L}--\p{Script=Hangul}--\p{Script=Han}][[\p{L}\p{M}'’]--\p{Script=Hangul}--\p{Script=Han}]*(?<!['’]))",
    regex.V1,
)


def foreign_runs(text: str) -> list[Morpheme]:
    """The numbers and the words in other scripts than Hangul, in order.

    >>> [(one.form, one.tag) for one in foreign_runs("값은 3.14, 大韓民國의 don't는 iPhone15")]
    [('3.14', 'SN'), ('大韓民國', 'SH'), ("don't", 'SL'), ('iPhone', 'SL'), ('15', 'SN')]
    """
    return [Morpheme(one.start(), one.end(), str(one.lastgroup), one[0]) for one in _RUNS.finditer(text)]


def with_foreign_runs(text: str, found: list[Morpheme], own_words: Container[str] = ()) -> list[Morpheme]:
    """An analyser's morphemes, with its answers inside `foreign_runs` replaced by them.

    A morpheme with Hangul in it (3·1절) stays, and so does one that is in the user's own words.
    """
    runs = foreign_runs(text)
    if not runs:
        return found
    begins = np.array([run.begin for run in runs])
    of = [int(np.searchsorted(begins, one.begin, "right")) - 1 for one in found]  # the run that may contain it
    is_inside = [k >= 0 and one.end <= runs[k].end for one, k in zip(found, of, strict=True)]
    crossed = {
        k
        for one, inside, first in zip(found, is_inside, of, strict=True)
        if not inside or text[one.begin : one.end] in own_words
        for k in range(max(0, first), int(np.searchsorted(begins, one.end, "left")))
        if one.begin < runs[k].end
    }
    kept = [one for one, inside, k in zip(found, is_inside, of, strict=True) if not inside or k in crossed]
    return sorted([*kept, *(run for k, run in enumerate(runs) if k not in crossed)])
