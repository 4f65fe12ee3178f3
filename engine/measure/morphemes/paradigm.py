"""How a tokenizer cuts verb forms: an ending alike after every stem, a stem alike before every ending?"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.hangul.conjugation import Form, conjugate
from engine.measure.encoded import encode_lines
from engine.measure.words import byte_offsets
from engine.tokenizer import Tokenizer

_Cuts = tuple[int, ...]
_Key = tuple[int, str]  # index of a column or row, and the syllables of its ending or stem alone


class ParadigmCell(NamedTuple):
    """A form under a tokenizer.

    Attributes
    ----------
    form : the form, with the positions of stem and ending.
    tokens : ids of its tokens; the first includes the space before it.
    pieces : the form cut at token boundaries; bytes of a cut character stay one piece.
    ending : the syllables of the ending alone; an ending may have several forms, 었다 and 다 in 갔다.
    is_usual : whether they are cut, before and inside, in the most frequent way among cells of the column with the same
        syllables; None if there is no other such cell.
    posterior : probability of this segmentation among all of the form; None if tokens have no probabilities.
    """

    form: Form
    tokens: list[int]
    pieces: list[str]
    ending: str
    is_usual: bool | None
    posterior: float | None


class Paradigm(NamedTuple):
    """Stems by endings.

    Attributes
    ----------
    cells : a row per stem, a column per ending.
    ending_entropy : bits; uncertainty of the cuts of an ending, given its form: the mean entropy over forms of endings
        that occur more than once, weighted by their number of cells. 0: always cut alike; NaN without such forms.
    stem_entropy : the same for stems.
    usual : share of the cells with a defined `is_usual` where it is true.
    """

    cells: list[list[ParadigmCell]]
    ending_entropy: float
    stem_entropy: float
    usual: float


def paradigm(tokenizer: Tokenizer, stems: Sequence[str], endings: Sequence[str]) -> Paradigm:
    """The grid of all stems with all endings, each form encoded by itself, after a space, as most words of a text are.

    Parameters
    ----------
    tokenizer : any.
    stems, endings : as `engine.hangul.conjugation.conjugate` takes them.

    Raises
    ------
    InputError : a stem and an ending have no form, or the tokenizer normalizes it to another text.
    """
    forms = [[conjugate(stem, ending) for ending in endings] for stem in stems]
    flat = [form for row in forms for form in row]
    lines = [f" {form.surface}" for form in flat]
    encoded = encode_lines(tokenizer, lines)
    if encoded.seen != lines:
        raise InputError("paradigm.normalized")
    ids = np.split(encoded.ids, encoded.token_ptr[1:-1]) if lines else []
    ends = np.split(encoded.end, encoded.token_ptr[1:-1]) if lines else []
    edges, base = [], 0
    for line, own in zip(lines, ends, strict=True):
        edges.append(sorted({0, *(own - base).tolist()}))
        base += len(line.encode())
    offsets = [byte_offsets(line)[1:] for line in lines]
    ending_keys = [(k % len(endings), form.surface[form.ending_begin :]) for k, form in enumerate(flat)]
    stem_keys = [(k // len(endings), form.surface[: form.stem_end]) for k, form in enumerate(flat)]
    ending_cuts = [
        _cuts(own, at[form.ending_begin], at[-1]) for own, at, form in zip(edges, offsets, flat, strict=True)
    ]
    stem_cuts = [_cuts(own, at[0], at[form.stem_end]) for own, at, form in zip(edges, offsets, flat, strict=True)]
    by_ending = _groups(ending_keys, ending_cuts)
    cells = []
    for k, form in enumerate(flat):
        counts = by_ending[ending_keys[k]]
        most = max(counts.values())
        size = int(offsets[k][-1] - offsets[k][form.ending_begin])
        cells.append(
            ParadigmCell(
                form=form,
                tokens=ids[k].tolist(),
                pieces=_pieces(form.surface, offsets[k], edges[k]),
                ending=ending_keys[k][1],
                is_usual=counts[ending_cuts[k]] == most if counts.total() > 1 and size else None,
                posterior=_posterior(tokenizer, lines[k]),
            )
        )
    compared = [cell.is_usual for cell in cells if cell.is_usual is not None]
    return Paradigm(
        cells=[cells[k : k + len(endings)] for k in range(0, len(cells), len(endings))],
        ending_entropy=_entropy(own for (_, text), own in by_ending.items() if text),
        stem_entropy=_entropy(own for (_, text), own in _groups(stem_keys, stem_cuts).items() if text),
        usual=float(np.mean(compared)) if compared else float("nan"),
    )


def _cuts(edges: Sequence[int], begin: int, end: int) -> _Cuts:
    """Token edges from begin to end, inclusive, relative to begin."""
    return tuple(edge - int(begin) for edge in edges if begin <= edge <= end)


def _pieces(surface: str, offsets: np.ndarray, edges: Sequence[int]) -> list[str]:
    cuts = [0, *np.flatnonzero(np.isin(offsets[1:-1], edges)) + 1, len(surface)]
    return [surface[a:b] for a, b in itertools.pairwise(cuts)]


def _groups(keys: Sequence[_Key], cuts: Sequence[_Cuts]) -> dict[_Key, Counter[_Cuts]]:
    groups: dict[_Key, Counter[_Cuts]] = defaultdict(Counter)
    for key, own in zip(keys, cuts, strict=True):
        groups[key][own] += 1
    return groups


def _entropy(groups: Iterable[Counter[_Cuts]]) -> float:
    """Mean entropy (bits) of the groups with several entries, weighted by size; NaN without any."""
    total, n = 0.0, 0
    for counts in groups:
        size = counts.total()
        if size > 1:
            shares = np.array(sorted(counts.values())) / size
            total -= size * float(shares @ np.log2(shares))
            n += size
    return total / n if n else float("nan")


def _posterior(tokenizer: Tokenizer, line: str) -> float | None:
    if tokenizer.probabilities is None:
        return None
    lattice = tokenizer.probabilities.lattice(line)
    return float(np.exp(lattice.best_log_prob - lattice.log_z))
