"""Entropies are computed in nats and shown in bits or nats."""

import math

UNITS = ("bit", "nat")


def per_nat(unit: str) -> float:
    """How many of `unit` ("bit" or "nat") one nat is."""
    return 1.0 / math.log(2.0) if unit == "bit" else 1.0
