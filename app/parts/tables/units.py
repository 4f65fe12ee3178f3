"""Entropies are computed in nats and shown in bits or nats."""

import math

from engine.pruning_scores import ENTROPY, pruning_score

UNITS = ("bit", "nat")


def is_entropy(score: str) -> bool:
    return pruning_score(score).unit == ENTROPY


def factor_of(score: str, unit: str) -> float:
    """Factor for displaying values of a pruning score."""
    return per_nat(unit) if is_entropy(score) else 1.0


def unit_of(score: str, unit: str) -> str:
    """Unit in which a pruning score is shown: `unit` ("bit" or "nat") for an entropy, "tokens", or "" for none."""
    return unit if is_entropy(score) else pruning_score(score).unit


def per_nat(unit: str) -> float:
    """Number of `unit` ("bit" or "nat") in one nat."""
    return 1.0 / math.log(2.0) if unit == "bit" else 1.0
