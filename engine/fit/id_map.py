"""From old ids to new ones, and the old ids of every new token's text, whose mean embedding it may begin with."""

import csv
import io
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.corpus.arrays import offsets
from engine.errors import InputError
from engine.fit.editable import NewMerge
from engine.tokenizer import Tokenizer

ENDINGS = (".csv", ".npz")


class IdMap(NamedTuple):
    """The old ids of new id i are `old_ids[ptr[i]:ptr[i + 1]]`: its own, those of its text, or none (unused).

    `new_id_of_old` (int64[n_old]) is -1 for removed tokens; `ptr` is int64[n_new + 1], `old_ids` int64.
    """

    new_id_of_old: np.ndarray
    ptr: np.ndarray
    old_ids: np.ndarray


def map_of_merges(n_old: int, merges: Sequence[NewMerge]) -> IdMap:
    """Of an extended vocabulary: old ids stay.

    >>> map_of_merges(2, [NewMerge(0, 1, 2), NewMerge(2, 1, 3)]).old_ids.tolist()
    [0, 1, 0, 1, 0, 1, 1]
    """
    sources = [[i] for i in range(n_old)]
    for left, right, made, *_ in merges:
        if made == len(sources):
            sources.append(sources[left] + sources[right])
    return map_of_sources(n_old, sources[n_old:])


def map_of_sources(n_old: int, added: Sequence[list[int]]) -> IdMap:
    """Of an extended vocabulary, from the old ids of the text of each new token."""
    sources = [*([i] for i in range(n_old)), *added]
    old_ids = np.fromiter(chain.from_iterable(sources), dtype=np.int64)
    return IdMap(np.arange(n_old, dtype=np.int64), offsets([*map(len, sources)]), old_ids)


def map_of_kept(new_id: np.ndarray) -> IdMap:
    """Of a trimmed vocabulary: `new_id` (int64[n_old]) is -1 for removed tokens."""
    kept = np.flatnonzero(new_id >= 0)
    old_ids = kept[np.argsort(new_id[kept])]
    return IdMap(new_id.astype(np.int64), offsets(np.bincount(new_id[kept])), old_ids.astype(np.int64))


def map_ending(path: str | Path) -> str:
    """The format that a map's name says; InputError if it says none."""
    ending = Path(path).suffix
    if ending not in ENDINGS:
        raise InputError("fit.map", path=path, endings=" or ".join(ENDINGS))
    return ending


def map_bytes(ending: str, id_map: IdMap, tokenizer: Tokenizer) -> bytes:
    """The map as .npz, its arrays by name, or as .csv, a row for every new id; `tokenizer` is the new one."""
    if ending == ".npz":
        packed = io.BytesIO()
        np.savez_compressed(packed, **id_map._asdict())
        return packed.getvalue()
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["new_id", "old_ids", "token"])
    bounds, ids = id_map.ptr.tolist(), id_map.old_ids.tolist()
    for new, (begin, end) in enumerate(pairwise(bounds)):
        rows.writerow([new, " ".join(map(str, ids[begin:end])), tokenizer.token_label(new)])
    return table.getvalue().encode()
