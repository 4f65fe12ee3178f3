"""Figures that were measured once and stored, one file of assets/evidence a measurement."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import InputError

EVIDENCE = Path(__file__).resolve().parents[2] / "assets" / "evidence"


@dataclass(frozen=True)
class Evidence:
    """One stored measurement.

    Attributes
    ----------
    name : of the file, without .json.
    command : what made it, to be run again from the root of the project.
    commit : of the program that made it.
    corpus : fingerprints of the texts, by name.
    settings : what a reader needs to know besides: sizes, scores, seeds.
    figures : the numbers.
    """

    name: str
    command: str
    commit: str
    corpus: Mapping[str, str]
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]


def stored_names() -> tuple[str, ...]:
    """Names of all measurements that are stored."""
    return tuple(sorted(path.stem for path in EVIDENCE.glob("*.json")))


@cache
def stored(name: str) -> Evidence:
    """One measurement; InputError where there is none of that name."""
    if name not in stored_names():
        raise InputError("evidence.unknown", name=name)
    return Evidence(**json.loads((EVIDENCE / f"{name}.json").read_text(encoding="utf-8")))
