"""What a variant of a text, such as one with typing errors, does to its tokens.

Tokens are counted per character of the original: without spaces, a text has other eojeols.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from engine.corpus.normalize import JAMO, composed, normalize
from engine.errors import InputError
from engine.measure.best import ties_with_best
from engine.measure.encoded import EncodedLines, encode_lines
from engine.measure.result import Measure, ratio_of_lines
from engine.measure.variants import RATE, VARIANTS, Pairs, variant, written
from engine.tokenizer import Tokenizer

COLUMNS = (
    "variant",
    "model",
    "file",
    "lines",
    "characters",
    "tokens",
    "added",
    "added_per_character",
    "added_per_character_low",
    "added_per_character_high",
    "cuts",
    "changed_cuts",
    "changed_cuts_low",
    "changed_cuts_high",
)


def robustness_rows(
    models: Collection[tuple[str, Tokenizer]],
    texts: Mapping[str, Sequence[str]],
    kinds: Sequence[str] = VARIANTS,
    rate: float = RATE,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """A row for every variant of every text under every model.

    - `added_per_character` : (tokens of the variant - tokens) / characters of the original.
    - `changed_cuts` : of the places where the tokens of the original or of the variant are cut, the share where only
      one of the two is. Places in the variant are those of the original characters; a cut inside a character's bytes,
      or inside what is written in its place, is one place; inserted and removed spaces have no width. None where
      the tokenizer's normal form joins what the variant took apart.

    Intervals are 95 % bootstrap intervals over lines. The best models on a variant of a text are those that tie with
    the least share of changed cuts, as in `fertility_rows`; one that has none is not compared.

    Parameters
    ----------
    models : each with the name that its rows show as `model`.
    texts : lines by the name that the rows show as `file`.
    kinds : of `variants.VARIANTS`.
    rate : share of the eojeols, from 0 to 1, with an error in `typing` and `wrong-spaces`.
    seed : of the errors and the bootstrap.

    Raises
    ------
    InputError : a variant leaves a text as it is, or empties it.
    """
    rows: list[dict[str, Any]] = []
    tables: list[list[np.ndarray]] = []
    compared: list[list[dict[str, Any]]] = []
    for file, given in texts.items():
        lines = [composed(line) for line in given]
        for kind in kinds:
            if not varies(lines, kind, rate, seed):
                raise InputError("robustness.same", kind=kind, file=file)
        encoded = [encode_lines(tokenizer, lines) for _, tokenizer in models]
        for kind in kinds:
            pairs = [variant(line, kind, rate, seed) for line in lines]
            tables.append([])
            compared.append([])
            for (model, tokenizer), before in zip(models, encoded, strict=True):
                after = encode_lines(tokenizer, list(map(written, pairs)))
                cuts = changed_cuts(before, after, pairs)
                rows.append(_row(kind, model, file, before, after, cuts, seed))
                if cuts is not None:
                    tables[-1].append(cuts)
                    compared[-1].append(rows[-1])
    for own, of_text in zip(compared, ties_with_best(tables, True, seed), strict=True):
        for row, one in zip(own, of_text, strict=True):
            row.update(one.fields())
    return rows


def varies(lines: Sequence[str], kind: str, rate: float = RATE, seed: int = 0) -> bool:
    """Whether a variant of these lines, which are composed, is another text, and not an empty one."""
    differs = is_some = False
    for line in lines:
        new = written(variant(line, kind, rate, seed))
        differs, is_some = differs or new != line, is_some or bool(new)
        if differs and is_some:
            return True
    return False


def _row(
    kind: str, model: str, file: str, before: EncodedLines, after: EncodedLines, cuts: np.ndarray | None, seed: int
) -> dict[str, Any]:
    sizes = np.array([len(line) for line in before.lines])
    more = after.per_line - before.per_line
    added = ratio_of_lines("added_per_character", more, sizes, "characters", seed)
    changed = None if cuts is None else ratio_of_lines("changed_cuts", cuts[:, 0], cuts[:, 1], "cuts", seed)
    values = (
        kind,
        model,
        file,
        len(before.lines),
        int(sizes.sum()),
        before.n_tokens,
        int(more.sum()),
        *_bounds(added),
        changed and changed.n,
        *_bounds(changed),
    )
    return {**dict(zip(COLUMNS, values, strict=True)), "best": False}


def _bounds(measure: Measure | None) -> tuple[float | None, float | None, float | None]:
    """Value and interval; None for what is unknown."""
    if measure is None or measure.n == 0:
        return None, None, None
    return (measure.value, *(measure.interval or (None, None)))


def changed_cuts(before: EncodedLines, after: EncodedLines, pairs: Sequence[Pairs]) -> np.ndarray | None:
    """int64[n_lines, 2]: places cut in one of the two only, and in at least one; see `robustness_rows`.

    None if the tokenizer's normal form joins letters of two characters.
    """
    first = _places(before, [[old for old, _ in line] for line in pairs], pairs)
    second = _places(after, [[new for _, new in line] for line in pairs], pairs)
    if first is None or second is None:
        return None
    counts = [(len(one | other) - len(one & other), len(one | other)) for one, other in zip(first, second, strict=True)]
    return np.array(counts, dtype=np.int64).reshape(-1, 2)


def _places(encoded: EncodedLines, sides: Sequence[Sequence[str]], pairs: Sequence[Pairs]) -> list[set[int]] | None:
    """Where the tokens of each line are cut: twice the number of characters before, and one more inside a character."""
    form = encoded.tokenizer.normalization
    places = []
    for k, (side, line) in enumerate(zip(sides, pairs, strict=True)):
        parts = side if form == JAMO else [normalize(part, form) for part in side]
        if "".join(parts) != encoded.seen[k]:
            return None
        sizes = np.array([len(part.encode()) for part in parts], dtype=np.int64)
        has_width = np.array([bool(old and new) for old, new in line], dtype=np.int64)
        # Of every byte: inside a part, but for those that are the first.
        place = np.repeat(2 * np.cumsum(has_width) - has_width, sizes)
        place[(np.cumsum(sizes) - sizes)[sizes > 0]] -= has_width[sizes > 0]
        begin = encoded.begin[encoded.token_ptr[k] : encoded.token_ptr[k + 1]]
        begin = begin - begin[:1]
        inside = place[begin[begin < place.size]]
        places.append(set(inside[(inside > 0) & (inside < 2 * has_width.sum())].tolist()))
    return places
