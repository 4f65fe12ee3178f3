"""What the sources print, claim by claim, with the stored measurements, and whether the two agree.

A file `assets/papers/<source>.toml` contains the tables and figures of one source, in its order:

    [[exhibit]]
    id = "table3"
    place = "Table 3"                     # where the source prints it
    evidence = "papers_thunder_tok"       # the stored measurement to compare with
    columns = ["HPLT v2.0", ...]          # of the rows in `printed`
    ours = "sizes/{size}/fertility"       # path in its figures
    live = { page = "fertility", view = "texts" }
    [exhibit.printed]
    BPE = [1.704, ...]
    [[exhibit.claim]]
    id = "t3_means"
    printed = { BPE = 1.509 }
    evidence = "papers_worked"            # if it differs from the exhibit's
    ours = "table3/means"
    rule = "equal"
    expect = "..."                        # operand of the rule, if not what is printed
    slip = true                           # the source contradicts itself, or a countable fact

Its texts are in the catalogue: `papers.exhibit.<id>`, `papers.claim.<id>`, and `papers.why.<id>` with further
explanation. A claim without a stored figure is not measured; `papers.why` then says why.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import InputError
from engine.evidence.stored import stored, stored_names

PAPERS = Path(__file__).resolve().parents[2] / "assets" / "papers"
SOURCES = ("thunder_tok", "entropy", "lesson", "slides", "textbook", "beyond")
AGREE, DIFFER, NOT_MEASURED = VERDICTS = ("agree", "differ", "not_measured")
# Texts segmented in the Thunder-Tok paper.
SENTENCE = "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다."
GREETING = "안녕하세요"
# Vocabulary sizes for Thunder-Tok's claims; the paper's own is the last.
CLAIM_SIZES = (2000, 32_000, 128_000)
PAPER_SIZE = CLAIM_SIZES[-1]
_OWN_SIZE = 32_000  # for our own findings: that of the shipped models


class Claim(NamedTuple):
    """One statement of a source.

    Attributes
    ----------
    id : as in the catalogue.
    place : where the source makes it.
    printed : what it prints: a number, a text, a list or a mapping of them; None for a claim without a number.
    ours : the measured counterpart; a number with its interval is [value, low, high]. None if nothing is stored.
    rule : how the two are compared, one of RULES; empty if they are not.
    verdict : one of VERDICTS.
    is_slip : whether the source contradicts itself or a fact.
    evidence : name of the stored measurement.
    """

    id: str
    place: str
    printed: Any
    ours: Any
    rule: str
    verdict: str
    is_slip: bool
    evidence: str


class Exhibit(NamedTuple):
    """A table, a figure or a passage of a source, with its claims.

    Attributes
    ----------
    id : as in the catalogue.
    source : one of SOURCES.
    place : its place in the source.
    columns : of the rows in `printed`.
    printed : rows by name, as the source prints them; empty if the claims contain everything.
    ours : the measured counterpart, None if nothing is stored.
    is_sized : whether `ours` depends on the size, one of CLAIM_SIZES.
    evidence : name of the stored measurement.
    live : parameters of the page that shows it, including `page`; empty if none does.
    claims : in order.
    """

    id: str
    source: str
    place: str
    columns: tuple[str, ...]
    printed: Mapping[str, Any]
    ours: Any
    is_sized: bool
    evidence: str
    live: Mapping[str, str]
    claims: tuple[Claim, ...]


class Source(NamedTuple):
    """Bibliographic facts about a source. Our own findings have no author."""

    name: str
    title: str
    authors: str
    year: int


@cache
def _content(source: str) -> Mapping[str, Any]:
    if source not in SOURCES:
        raise InputError("choice.unknown", what="source", value=source, choices=", ".join(SOURCES))
    content: Mapping[str, Any] = tomllib.loads((PAPERS / f"{source}.toml").read_text(encoding="utf-8"))
    return content


def facts(source: str) -> Source:
    """Bibliographic facts about a source."""
    content = _content(source)
    return Source(source, content["title"], content["authors"], content["year"])


def printed(source: str, exhibit: str) -> Any:
    """What a source prints in an exhibit."""
    return next(one["printed"] for one in _content(source)["exhibit"] if one["id"] == exhibit)


def usual_size(source: str) -> int:
    """The default size for a source."""
    return _OWN_SIZE if source == "beyond" else PAPER_SIZE


def exhibits(source: str, size: int | None = None) -> list[Exhibit]:
    """All exhibits of a source, with the claims compared with stored figures; `size` selects the vocabulary size for
    claims measured at several, by default the usual one.

    Raises
    ------
    InputError : there is no such source.
    """
    return [_exhibit(source, one, size or usual_size(source)) for one in _content(source)["exhibit"]]


def _exhibit(source: str, content: Mapping[str, Any], size: int) -> Exhibit:
    evidence = content.get("evidence", "")
    claims = [_claim(one, content["place"], one.get("evidence", evidence), size) for one in content.get("claim", ())]
    return Exhibit(
        content["id"],
        source,
        content["place"],
        tuple(content.get("columns", ())),
        content.get("printed", {}),
        measured(evidence, content.get("ours", ""), size),
        "{size}" in content.get("ours", ""),
        evidence,
        content.get("live", {}),
        tuple(claims),
    )


def _claim(content: Mapping[str, Any], place: str, evidence: str, size: int) -> Claim:
    stated, rule, is_slip = content.get("printed"), content.get("rule", ""), content.get("slip", False)
    expected = content.get("expect", stated)
    ours = measured(evidence, content.get("ours", ""), size)
    verdict = NOT_MEASURED
    if rule and ours is not None:
        verdict = AGREE if RULES[rule](expected, ours) else DIFFER
    elif is_slip and not rule:  # two places of the source contradict each other
        verdict = DIFFER
    relevant = _relevant(rule, expected, ours)
    return Claim(content["id"], content.get("place", place), stated, relevant, rule, verdict, is_slip, evidence)


def measured(evidence: str, path: str, size: int = PAPER_SIZE) -> Any:
    """The stored value at a path, `sizes/{size}/mean` or `summary/*/bits` (for every name); None if there is none."""
    if not path or evidence not in stored_names():
        return None
    return _at(stored(evidence).figures, path.format(size=size).split("/"))


def _at(value: Any, names: Sequence[str]) -> Any:
    if not names:
        return value
    name, rest = names[0], names[1:]
    if name == "*" and isinstance(value, Mapping):
        return {own: _at(one, rest) for own, one in value.items()}
    if isinstance(value, Mapping) and name in value:
        return _at(value[name], rest)
    if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
        return _at(value[int(name)], rest)
    return None


def _relevant(rule: str, expected: Any, ours: Any) -> Any:
    """The part of a mapping that the rule compares: the printed names, in ascending order for `order`; the winner."""
    if not isinstance(ours, Mapping):
        return ours
    if rule == "order":
        return dict(sorted(((name, ours[name]) for name in expected if name in ours), key=lambda one: _number(one[1])))
    if rule in ("least", "most") and not any(isinstance(value, Mapping) for value in ours.values()):
        winner = (min if rule == "least" else max)(ours, key=lambda name: _number(ours[name]))
        return {winner: ours[winner]}
    if isinstance(expected, Mapping):
        return {name: ours[name] for name in expected if name in ours}
    return ours


def _number(value: Any) -> Any:
    """A number without its interval."""
    return value[0] if isinstance(value, Sequence) and not isinstance(value, str) else value


def _equal(expected: Any, ours: Any) -> bool:
    """Equal, numbers up to the printed precision; additional measurements are ignored."""
    if isinstance(expected, Mapping):
        return isinstance(ours, Mapping) and all(
            name in ours and _equal(expected[name], ours[name]) for name in expected
        )
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return len(expected) == len(ours) and all(map(_equal, expected, ours))
    if isinstance(expected, float):
        digits = len(f"{expected!r}".partition(".")[2]) if "e" not in f"{expected!r}" else 12
        return abs(round(float(_number(ours)), digits) - expected) < 1e-12
    return bool(expected == ours)


def _sign(expected: Any, ours: Any) -> bool:
    """All numbers have the printed sign."""
    if isinstance(expected, Mapping):
        return all(_sign(expected[name], ours[name]) for name in expected)
    return bool((expected > 0) == (_number(ours) > 0) and (expected < 0) == (_number(ours) < 0))


def _sign_all(expected: float, ours: Mapping[str, Any]) -> bool:
    """All numbers have the sign of the printed one."""
    return all(_sign(expected, value) for value in ours.values())


def _order(expected: Sequence[str], ours: Mapping[str, Any]) -> bool:
    """The names in printed order have ascending numbers."""
    numbers = [_number(ours[name]) for name in expected]
    return all(a < b for a, b in pairwise(numbers))


def _least(expected: str, ours: Mapping[str, Any]) -> bool:
    """The name has the smallest number; with several columns, in each."""
    if all(isinstance(row, Mapping) for row in ours.values()):
        columns = ours[expected]
        return all(_least(expected, {name: row[column] for name, row in ours.items()}) for column in columns)
    return bool(_number(ours[expected]) == min(map(_number, ours.values())))


def _most(expected: str, ours: Mapping[str, Any]) -> bool:
    """The name has the largest number."""
    return bool(_number(ours[expected]) == max(map(_number, ours.values())))


def _within(expected: Sequence[float], ours: Any) -> bool:
    """All numbers are between the two printed ones."""
    low, high = expected
    if isinstance(ours, Mapping):
        return all(_within(expected, value) for value in ours.values())
    # Two numbers are our own range, three a number with its interval.
    values = ours if isinstance(ours, list) and len(ours) == 2 else [_number(ours)]
    return all(low <= value <= high for value in values)


def _near(expected: Any, ours: Any) -> bool:
    """All numbers are within a tenth of the printed ones."""
    if isinstance(expected, Mapping):
        return all(_near(expected[name], ours[name]) for name in expected)
    if isinstance(expected, Sequence):
        return all(map(_near, expected, ours))
    return bool(abs(_number(ours) - expected) <= 0.1 * abs(expected))


def _above(expected: float, ours: Any) -> bool:
    """All numbers are at least the printed one."""
    if isinstance(ours, Mapping):
        return all(_above(expected, value) for value in ours.values())
    return bool(_number(ours) >= expected)


RULES: Mapping[str, Callable[[Any, Any], bool]] = {
    "equal": _equal,
    "sign": _sign,
    "sign_all": _sign_all,
    "order": _order,
    "least": _least,
    "most": _most,
    "within": _within,
    "near": _near,
    "above": _above,
}
