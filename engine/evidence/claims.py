"""What the sources print, claim by claim, beside what is stored, and whether the two agree.

A file `assets/papers/<source>.toml` holds the tables and figures of one source, in its order:

    [[exhibit]]
    id = "table3"
    place = "Table 3"                     # where the source prints it
    evidence = "papers_thunder_tok"       # the stored measurement beside it
    columns = ["HPLT v2.0", ...]          # of the rows in `printed`
    ours = "sizes/{size}/fertility"       # where in its figures
    live = { page = "fertility", view = "texts" }
    [exhibit.printed]
    BPE = [1.704, ...]
    [[exhibit.claim]]
    id = "t3_means"
    printed = { BPE = 1.509 }
    evidence = "papers_worked"            # if it is another
    ours = "table3/means"
    rule = "equal"
    expect = "..."                        # what the rule goes by, if not by what is printed
    slip = true                           # the source contradicts itself, or a fact that can be counted

Its words are in the catalogue: `papers.exhibit.<id>`, `papers.claim.<id>`, and `papers.why.<id>` where there is more to
say. A claim without a stored figure is not measured; `papers.why` then says why.
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
# The texts that the Thunder-Tok paper cuts.
SENTENCE = "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다."
GREETING = "안녕하세요"
# Sizes at which Thunder-Tok's claims can be looked at; the paper's own is the last.
CLAIM_SIZES = (2000, 32_000, 128_000)
PAPER_SIZE = CLAIM_SIZES[-1]
_OWN_SIZE = 32_000  # of our own findings: that of the models that come with the program


class Claim(NamedTuple):
    """One statement of a source.

    Attributes
    ----------
    id : as in the catalogue.
    place : where the source makes it.
    printed : what it prints: a number, a text, a list or a mapping of them; None for what is told without a number.
    ours : the same, measured; an interval's number is [value, low, high]. None where nothing is stored.
    rule : how the two are compared, one of RULES; empty where they are not.
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
    place : where it stands.
    columns : of the rows in `printed`.
    printed : rows by name, as the source prints them; empty where the claims say all.
    ours : what was measured for it, None where nothing is stored.
    is_sized : whether `ours` is of one of CLAIM_SIZES.
    evidence : name of the stored measurement.
    live : parameters of the page that shows it, `page` among them; empty where none does.
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
    """Facts about a source: who wrote what, and when. Our own findings have no author."""

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
    """Who wrote it."""
    content = _content(source)
    return Source(source, content["title"], content["authors"], content["year"])


def printed(source: str, exhibit: str) -> Any:
    """What a source prints in an exhibit."""
    return next(one["printed"] for one in _content(source)["exhibit"] if one["id"] == exhibit)


def usual_size(source: str) -> int:
    """The size at which a source is looked at first."""
    return _OWN_SIZE if source == "beyond" else PAPER_SIZE


def exhibits(source: str, size: int | None = None) -> list[Exhibit]:
    """All of a source, its claims compared with what is stored; `size` is the vocabulary's where a claim has several,
    by default the usual one.

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
    said, rule, is_slip = content.get("printed"), content.get("rule", ""), content.get("slip", False)
    expected = content.get("expect", said)
    ours = measured(evidence, content.get("ours", ""), size)
    verdict = NOT_MEASURED
    if rule and ours is not None:
        verdict = AGREE if RULES[rule](expected, ours) else DIFFER
    elif is_slip and not rule:  # two places of the source that cannot both be right
        verdict = DIFFER
    told = _told(rule, expected, ours)
    return Claim(content["id"], content.get("place", place), said, told, rule, verdict, is_slip, evidence)


def measured(evidence: str, path: str, size: int = PAPER_SIZE) -> Any:
    """What is stored at a path, `sizes/{size}/mean` or `summary/*/bits` (by every name); None where nothing is."""
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


def _told(rule: str, expected: Any, ours: Any) -> Any:
    """Of what is measured by name, what the rule looks at: the names that are printed, in their order; the winner."""
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


def _equal(said: Any, ours: Any) -> bool:
    """The same, numbers as exact as they are printed; what is measured besides does not matter."""
    if isinstance(said, Mapping):
        return isinstance(ours, Mapping) and all(name in ours and _equal(said[name], ours[name]) for name in said)
    if isinstance(said, Sequence) and not isinstance(said, str):
        return len(said) == len(ours) and all(map(_equal, said, ours))
    if isinstance(said, float):
        digits = len(f"{said!r}".partition(".")[2]) if "e" not in f"{said!r}" else 12
        return abs(round(float(_number(ours)), digits) - said) < 1e-12
    return bool(said == ours)


def _sign(said: Any, ours: Any) -> bool:
    """All numbers have the sign that is printed."""
    if isinstance(said, Mapping):
        return all(_sign(said[name], ours[name]) for name in said)
    return bool((said > 0) == (_number(ours) > 0) and (said < 0) == (_number(ours) < 0))


def _sign_all(said: float, ours: Mapping[str, Any]) -> bool:
    """All numbers have the sign of one."""
    return all(_sign(said, value) for value in ours.values())


def _order(said: Sequence[str], ours: Mapping[str, Any]) -> bool:
    """The names as they are printed have ascending numbers."""
    numbers = [_number(ours[name]) for name in said]
    return all(a < b for a, b in pairwise(numbers))


def _least(said: str, ours: Mapping[str, Any]) -> bool:
    """The name has the least number; in each column where there are several."""
    if all(isinstance(row, Mapping) for row in ours.values()):
        columns = ours[said]
        return all(_least(said, {name: row[column] for name, row in ours.items()}) for column in columns)
    return bool(_number(ours[said]) == min(map(_number, ours.values())))


def _most(said: str, ours: Mapping[str, Any]) -> bool:
    """The name has the largest number."""
    return bool(_number(ours[said]) == max(map(_number, ours.values())))


def _within(said: Sequence[float], ours: Any) -> bool:
    """All numbers lie between the two that are printed."""
    low, high = said
    if isinstance(ours, Mapping):
        return all(_within(said, value) for value in ours.values())
    # Two numbers are a range of ours; three, a number with its interval.
    values = ours if isinstance(ours, list) and len(ours) == 2 else [_number(ours)]
    return all(low <= value <= high for value in values)


def _near(said: Any, ours: Any) -> bool:
    """All numbers are within a tenth of what is printed."""
    if isinstance(said, Mapping):
        return all(_near(said[name], ours[name]) for name in said)
    if isinstance(said, Sequence):
        return all(map(_near, said, ours))
    return bool(abs(_number(ours) - said) <= 0.1 * abs(said))


def _above(said: float, ours: Any) -> bool:
    """At least what is printed, everywhere."""
    if isinstance(ours, Mapping):
        return all(_above(said, value) for value in ours.values())
    return bool(_number(ours) >= said)


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
