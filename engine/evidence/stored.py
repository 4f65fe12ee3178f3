"""Stored measurements, one file of assets/evidence each."""

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
    command : reproduces the measurement, run from the project's root.
    commit : of the program.
    corpus : fingerprints of the texts, by name.
    settings : other settings, for the reader: sizes, scores, seeds.
    figures : the numbers.
    """

    name: str
    command: str
    commit: str
    corpus: Mapping[str, str]
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]


def stored_names() -> tuple[str, ...]:
    """Names of all stored measurements."""
    return tuple(sorted(path.stem for path in EVIDENCE.glob("*.json")))


@cache
def stored(name: str) -> Evidence:
    """The measurement of that name; InputError if there is none."""
    if name not in stored_names():
        raise InputError("evidence.unknown", name=name)
    return Evidence(**json.loads((EVIDENCE / f"{name}.json").read_text(encoding="utf-8")))
