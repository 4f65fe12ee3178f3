"""Where a vocabulary may come from: the tokens that it shares with another one, and the order of their merges.

Two vocabularies learned from similar texts share most tokens; only one that was taken over, or learned from the same
text by the same program, has them in the same order.
"""

from typing import Any, NamedTuple

import numpy as np

from engine.tokenizer import Tokenizer


class Lineage(NamedTuple):
    """A vocabulary compared with another one. Tokens are the same if they have the same bytes, whatever their ids.

    Attributes
    ----------
    shared : tokens that both have; those without text, such as special ones, are not counted.
    share, share_of_other : in the tokens of either.
    shared_merges : merges whose result both have; None if one of the two does not merge.
    same_rank : those of them that have the same number in both.
    rank_correlation : Spearman's rho of their numbers; NaN for fewer than two.
    common_prefix : merges from the first on that have the same results.
    """

    shared: int
    share: float
    share_of_other: float
    shared_merges: int | None
    same_rank: int | None
    rank_correlation: float | None
    common_prefix: int | None


def lineage(tokenizer: Tokenizer, other: Tokenizer) -> Lineage:
    """Compare the vocabularies of two tokenizers."""
    texts, other_texts = _texts(tokenizer), _texts(other)
    shared = len(texts & other_texts)
    counted = shared, shared / max(1, len(texts)), shared / max(1, len(other_texts))
    results, other_results = _merged(tokenizer), _merged(other)
    if results is None or other_results is None:
        return Lineage(*counted, None, None, None, None)
    rank = {text: k for k, text in enumerate(other_results)}
    pairs = np.array([(k, rank[text]) for k, text in enumerate(results) if text in rank], dtype=np.int64)
    pairs = pairs.reshape(-1, 2)
    # The ranks of both among the shared ones; none is tied.
    order = np.argsort(np.argsort(pairs[:, 1]))
    rho = float(np.corrcoef(np.arange(order.size), order)[0, 1]) if order.size > 1 else float("nan")
    prefix = next((k for k, (a, b) in enumerate(zip(results, other_results, strict=False)) if a != b), None)
    same_rank = int((pairs[:, 0] == pairs[:, 1]).sum())
    least = min(len(results), len(other_results))
    return Lineage(*counted, len(pairs), same_rank, rho, least if prefix is None else prefix)


def lineage_row(against: str, found: Lineage) -> dict[str, Any]:
    """What the command prints; None for what is unknown."""
    return {"against": against} | {name: None if value != value else value for name, value in found._asdict().items()}


def _texts(tokenizer: Tokenizer) -> set[bytes]:
    specials = set(tokenizer.special_tokens.values())
    return {tokenizer.token_bytes(i) for i in range(tokenizer.vocab_size) if i not in specials} - {b""}


def _merged(tokenizer: Tokenizer) -> list[bytes] | None:
    """The results of the merges, each at its first, in their order; None if the tokenizer has no merges.

    Of ranks and of SentencePiece's scores, those are the tokens of several bytes or characters.
    """
    known = tokenizer.statistics()
    name = next((name for name in ("merge", "rank", "score") if name in known), None)
    if name is None or tokenizer.probabilities is not None:
        return None
    order = -known[name] if name == "score" else known[name]
    ids = np.flatnonzero(known[name] >= 0 if name != "score" else ~np.isnan(order))
    results = map(tokenizer.token_bytes, ids[np.argsort(order[ids], kind="stable")].tolist())
    is_merged = {
        "merge": bool,
        "rank": lambda text: len(text) > 1,
        "score": lambda text: len(text.decode(errors="ignore")) > 1,
    }[name]
    return list(dict.fromkeys(filter(is_merged, results)))
