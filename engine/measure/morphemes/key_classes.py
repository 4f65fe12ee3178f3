"""The grammatical classes of a few tokens of a large corpus, from some of their uses there."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.corpus.morphemes.analysers import has_hangul
from engine.measure.corpus_units import CorpusUnits
from engine.measure.encoded import encode_lines
from engine.measure.key_rows import Compared
from engine.measure.morphemes.analysis import silver_analysis
from engine.measure.morphemes.token_classes import CLASSES, NONE, token_classes, usual_classes
from engine.tokenizer import Tokenizer

_N_USES = 6  # of each token
_MAX_CHARS = 600  # of a line: longer ones are left out


def key_classes(
    tokenizer: Tokenizer,
    units: CorpusUnits,
    lines: Sequence[str],
    chosen: Sequence[int],
    types: np.ndarray,
    analyser: str,
) -> np.ndarray:
    """int8[n]: the usual class (`engine.measure.morphemes.token_classes`) of every token, by about six of its uses.

    Parameters
    ----------
    units, lines : tokens and text of the corpus.
    chosen : the files whose uses count.
    types : int64[n], ids of the tokens.
    analyser : finds the morphemes; NONE for all tokens where there is no Hangul.

    Raises
    ------
    InputError : the analyser is not installed.
    """
    seen = [lines[i] for i in _lines_with(units, lines, chosen, types).tolist()]
    if not any(map(has_hangul, seen)):
        return np.full(types.size, NONE, dtype=np.int8)
    encoded = encode_lines(tokenizer, seen)
    classes = token_classes(encoded.begin, encoded.end, silver_analysis(encoded.seen, analyser))
    return usual_classes(encoded.ids, classes, tokenizer.vocab_size)[types]


def row_classes(
    tokenizer: Tokenizer,
    units: CorpusUnits,
    lines: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    compared: Compared,
    analyser: str,
) -> list[str | None]:
    """The names of the classes of `engine.measure.key_rows`, each from uses where the token is more frequent."""
    names: list[str | None] = [None] * len(rows)
    for chosen, is_second in zip(compared, (False, True), strict=True):
        own = [k for k, row in enumerate(rows) if (row["direction"] == "-") == is_second]
        types = np.array([rows[k]["type"] for k in own], dtype=np.int64)
        for k, found in zip(own, key_classes(tokenizer, units, lines, chosen, types, analyser).tolist(), strict=True):
            names[k] = None if found == NONE else CLASSES[found]
    return names


def _lines_with(units: CorpusUnits, lines: Sequence[str], chosen: Sequence[int], types: np.ndarray) -> np.ndarray:
    """int64[n]: lines with uses of the types, those of each spread evenly over the files."""
    wanted = np.zeros(units.n_types, dtype=bool)
    wanted[types] = True
    ptr = units.units.unit_ptr
    is_short = np.fromiter((len(line) <= _MAX_CHARS for line in lines), bool, len(lines))
    found = []
    for i in chosen:
        begin, end = units.files.line_ptr[i], units.files.line_ptr[i + 1]
        of_line = np.repeat(np.arange(begin, end), np.diff(ptr[begin : end + 1]))
        ids = units.units.ids[ptr[begin] : ptr[end]]
        here = wanted[ids] & is_short[of_line]
        found.append(np.stack([ids[here], of_line[here]]))
    ids, of_line = np.concatenate(found, axis=1) if found else np.empty((2, 0), dtype=np.int64)
    order = np.argsort(ids, kind="stable")
    ids, of_line = ids[order], of_line[order]
    n_uses = np.bincount(ids, minlength=1)
    rank = np.arange(ids.size) - (np.cumsum(n_uses) - n_uses)[ids]
    step = np.maximum(1, -(-n_uses // _N_USES))
    return np.unique(of_line[rank % step[ids] == 0])
