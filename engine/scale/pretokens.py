"""The distinct pre-tokens of a corpus, counted shard by shard and collected in one place, for BPE."""

from typing import NamedTuple

import numpy as np

from engine.corpus.arrays import Pretokens, _gather, frozen
from engine.scale.spool import Spool, read_units
from engine.scale.workers import Workers


class _CountedPretokens(NamedTuple):
    """Distinct pre-tokens of one or more shards."""

    pretokens: Pretokens
    place: np.ndarray  # int64[n], first occurrences


def count_corpus(workers: Workers, spool: Spool) -> Pretokens:
    """Distinct pre-tokens of a corpus spooled by pre-token, in order of first appearance."""
    workers.begin(spool.n_shards)
    workers.change(_count_shard, spool)
    (chars, ptr, count), place = workers.ask(_identity, _join)
    order = np.argsort(place, kind="stable")
    chars, ptr = _gather(frozen(chars), ptr[:-1][order], ptr[1:][order])
    return Pretokens(chars, ptr, count[order])


def _count_shard(shard: int, spool: Spool) -> _CountedPretokens:
    (_, codes, begin, end), place, count = read_units(shard, spool)
    chars, ptr = _gather(codes, begin, end)
    return _CountedPretokens(Pretokens(chars, ptr, count), place)


def _identity(counted: _CountedPretokens) -> _CountedPretokens:
    return counted


def _join(a: _CountedPretokens, b: _CountedPretokens) -> _CountedPretokens:
    ptr = np.concatenate([a.pretokens.ptr, a.pretokens.ptr[-1] + b.pretokens.ptr[1:]])
    chars, count = (np.concatenate([a.pretokens[k], b.pretokens[k]]) for k in (0, 2))
    return _CountedPretokens(Pretokens(chars, ptr, count), np.concatenate([a.place, b.place]))
