"""Entropies are computed in nats and shown in bits or nats."""

import math

UNITS = ("bit", "nat")


def factor_of(column: str, unit: str) -> float:
    """What values of `p`, `be`, `be_p` or `ml` are multiplied by for display: P has no unit, all others are in nats."""
    return 1.0 if column == "p" else per_nat(unit)


def per_nat(unit: str) -> float:
    """How many of `unit` ("bit" or "nat") one nat is."""
    return 1.0 / math.log(2.0) if unit == "bit" else 1.0
