"""Several tokenizers on one text: where they agree, figures of each, and parts that split no token of any."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.parts.tables.segmentation import Segmentation, TextPart, count


def lonely_tokens(segmentations: Sequence[Segmentation]) -> list[np.ndarray]:
    """For each segmentation, bool per token: no other one has a token over the same bytes. Alone, none is lonely."""
    if len(segmentations) < 2:
        return [np.zeros(one.ids.size, dtype=bool) for one in segmentations]
    spans = [list(zip(one.byte_begin.tolist(), one.byte_end.tolist(), strict=True)) for one in segmentations]
    owners = Counter(span for one in spans for span in set(one))
    return [np.array([owners[span] == 1 for span in one], dtype=bool) for one in spans]


_LAST_LATIN = "\u024f"
_ENOUGH = 10_000  # characters, to tell a script


def is_mostly_latin(text: str) -> bool:
    """Whether most letters of a text, or of the beginning of a long one, are Latin."""
    letters = [char for char in text[:_ENOUGH] if char.isalpha()]
    return 2 * sum(char <= _LAST_LATIN for char in letters) > len(letters)


def comparison_table(names: Sequence[str], sizes: Sequence[int], segmentations: Sequence[Segmentation]) -> pd.DataFrame:
    """One row per tokenizer.

    Columns: name, vocab_size, tokens, fertility (tokens per word), characters_per_token, bytes_per_token, alone (tokens
    that no other tokenizer has), partial (tokens that are parts of a character), ratio (tokens over the fewest).
    """
    counts = [count(one) for one in segmentations]
    fewest = min((one.tokens for one in counts), default=0)
    return pd.DataFrame(
        {
            "name": list(names),
            "vocab_size": list(sizes),
            "tokens": [one.tokens for one in counts],
            "ratio": [one.tokens / fewest if fewest else None for one in counts],
            "fertility": [one.fertility for one in counts],
            "characters_per_token": [one.characters_per_token for one in counts],
            "bytes_per_token": [one.bytes_per_token for one in counts],
            "alone": [int(alone.sum()) for alone in lonely_tokens(segmentations)],
            "partial": [one.partial for one in counts],
        }
    )


def shared_stretches(segmentations: Sequence[Segmentation], size: int) -> list[list[TextPart]]:
    """The text in parts of about `size` characters; no boundary is inside a token or character of any tokenizer.

    One list per part, with the part's token range in every segmentation; at least one part.
    """
    length = len(segmentations[0].text)
    allowed = np.ones(length + 1, dtype=bool)
    for one in segmentations:
        inside = np.zeros(length + 2, dtype=np.int64)
        # A token over the characters b to e forbids the cuts b+1 to e-1; pieces of one character share its span.
        np.add.at(inside, np.minimum(one.begin + 1, one.end), 1)
        np.add.at(inside, one.end, -1)
        allowed &= np.cumsum(inside)[: length + 1] == 0
    allowed[[0, length]] = True
    cuts = np.flatnonzero(allowed)
    bounds = [0]
    while bounds[-1] < length:
        bounds.append(int(cuts[np.searchsorted(cuts, min(bounds[-1] + size, length))]))
    ends = bounds[1:] or [0]
    # If begins are equal, all pieces of the character are after the cut.
    return [
        [
            TextPart(int(np.searchsorted(one.begin, begin)), int(np.searchsorted(one.begin, end)), begin, end)
            for one in segmentations
        ]
        for begin, end in zip(bounds, ends, strict=False)
    ]
