"""What the sources print, claim by claim, with the stored measurements, and whether the two agree.

A file `assets/papers/<source>.toml` contains the tables and figures of one source, in its order:

    [[exhibit]]
    id = "table3"
    place = "Table 3"                     # where the source prints it
    evidence = "papers_thunder_tok"       # the stored measurement to compare with
    columns = ["HPLT v2.0", ...]          # of the rows in `printed`
    ours = "sizes/{size}/fertility"       # path in its figures
    live = { page = "cost", more = "fairness", measured = "texts" }
    [exhibit.printed]
    BPE = [1.704, ...]
    [exhibit.claim.t3_means]
    printed = "..."                       # the source's own number or words, never corrected
    correction = "..."                    # what it should say, shown beside it
    evidence = "papers_worked"            # if it differs from the exhibit's
    ours = "table3/means"
    unit = "%"                            # of the measured numbers, if not clear from the text
    rule = "equal"                        # one of RULES; this one if none is given
    expect = { BPE = 1.509 }              # operand of the rule, if not what is printed
    differences = "..."                   # path of the paired differences, for order, least and most
    slip = true                           # the source contradicts itself, or a countable fact
    each = "within"                       # instead of `rule`: the rule for each tokenizer in `ours`, holds_for below

Its texts are in the catalogue: `papers.exhibit.<id>`, `papers.claim.<id>`, and `papers.why.<id>` with further
explanation. A claim without a stored figure is not measured; `papers.why` then says why. A measured number has an
interval, [value, low, high], and a verdict that the whole interval does not carry is undecided; two measured numbers
are compared by their paired difference. A number without an interval is exact: a count, or arithmetic.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from math import inf, isinf, nan
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import require_choice
from engine.evidence.stored import stored, stored_names

PAPERS = Path(__file__).resolve().parents[2] / "assets" / "papers"
SOURCES = ("thunder_tok", "authors", "entropy", "lesson", "slides", "textbook", "beyond")
AGREES, DIFFERS, UNDECIDED, NOT_MEASURED = VERDICTS = ("agrees", "differs", "undecided", "not_measured")
# Texts segmented in the Thunder-Tok paper.
SENTENCE = "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다."
GREETING = "안녕하세요"
# Vocabulary sizes for Thunder-Tok's claims; the paper's own is the last.
CLAIM_SIZES = (2000, 32_000, 128_000)
PAPER_SIZE = CLAIM_SIZES[-1]
_OWN_SIZE = 32_000  # for our own findings and for live views: that of the shipped models


class Claim(NamedTuple):
    """One statement of a source.

    Attributes
    ----------
    id : as in the catalogue.
    place : where the source makes it.
    printed : what it prints: a number, a text, a list or a mapping of them; None in our own findings.
    correction : what it should say, where that is not `ours`.
    ours : the measured counterpart; a number with its interval is [value, low, high]. None if nothing is stored.
    unit : of our numbers, written after them; may be empty.
    decided_by : the number that decides; None if nothing is compared.
    rule : how the two are compared, one of RULES; empty if they are not.
    verdict : one of VERDICTS.
    is_slip : whether the source contradicts itself or a fact.
    evidence : name of the stored measurement.
    """

    id: str
    place: str
    printed: Any
    correction: Any
    ours: Any
    unit: str
    decided_by: "Compared | None"
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
    labels : the names that the source prints, where ours must tell two rows apart.
    ours : the measured counterpart, None if nothing is stored.
    is_sized : whether something of ours depends on the size, one of CLAIM_SIZES.
    evidence : name of the stored measurement.
    live : parameters of the page that shows it, including `page`; empty if none does at this size.
    claims : in order.
    """

    id: str
    source: str
    place: str
    columns: tuple[str, ...]
    printed: Mapping[str, Any]
    labels: Mapping[str, str]
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
    require_choice("source", source, SOURCES)
    content: Mapping[str, Any] = tomllib.loads((PAPERS / f"{source}.toml").read_text(encoding="utf-8"))
    return content


def facts(source: str) -> Source:
    """Bibliographic facts about a source."""
    content = _content(source)
    return Source(source, content["title"], content["authors"], content["year"])


def printed(source: str, exhibit: str, claim: str = "") -> Any:
    """What a source prints in an exhibit, or in one of its claims."""
    content = next(one for one in _content(source)["exhibit"] if one["id"] == exhibit)
    return (content["claim"][claim] if claim else content)["printed"]


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
    evidence, claims = content.get("evidence", ""), content.get("claim", {})
    is_sized = any("{size}" in one.get("ours", "") for one in (content, *claims.values()))
    return Exhibit(
        content["id"],
        source,
        content["place"],
        tuple(content.get("columns", ())),
        content.get("printed", {}),
        content.get("labels", {}),
        measured(evidence, content.get("ours", ""), size),
        is_sized,
        evidence,
        content.get("live", {}) if size == _OWN_SIZE or not is_sized else {},
        tuple(_claim(name, one, content["place"], evidence, size) for name, one in claims.items()),
    )


def _claim(name: str, content: Mapping[str, Any], place: str, evidence: str, size: int) -> Claim:
    stated, is_slip, default = content.get("printed"), content.get("slip", False), "equal" if "ours" in content else ""
    rule = "holds_for" if "each" in content else content.get("rule", default)
    evidence = content.get("evidence", evidence)
    expected = content.get("expect", stated)
    ours = measured(evidence, content.get("ours", ""), size)
    differences = measured(evidence, content.get("differences", ""), size)
    decided_by, verdict = None, NOT_MEASURED
    if rule and ours is not None:
        if rule == "holds_for":
            each = RULES[content["each"]]
            ours = {name: deciding(each(expected, one)).verdict for name, one in ours.items() if one is not None}
            verdict = next(iter(found)) if len(found := {*ours.values()}) == 1 else UNDECIDED
            ours = {name: one == AGREES for name, one in ours.items()}
        else:
            decided_by = deciding(RULES[rule](expected, ours, differences))
            verdict = decided_by.verdict
    elif is_slip and not rule:  # two places of the source contradict each other
        verdict = DIFFERS
    return Claim(
        name,
        content.get("place", place),
        stated,
        content.get("correction"),
        ours if rule == "holds_for" else _relevant(rule, expected, ours),
        content.get("unit", ""),
        decided_by,
        rule,
        verdict,
        is_slip,
        evidence,
    )


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
        return dict(sorted(((name, ours[name]) for name in expected if name in ours), key=lambda one: number(one[1])))
    if rule in ("least", "most") and not any(isinstance(value, Mapping) for value in ours.values()):
        winner = (min if rule == "least" else max)(ours, key=lambda name: number(ours[name]))
        return {winner: ours[winner]}
    if isinstance(expected, Mapping):
        return {name: ours[name] for name in expected if name in ours}
    return ours


def is_interval(value: Any) -> bool:
    """Whether it is a number with its interval, [value, low, high]; ends, or all three, may be None: unknown."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 3:
        return False
    if value[1] is None and value[2] is None:
        return value[0] is None or isinstance(value[0], float)
    return all(isinstance(part, float) for part in value) and value[1] <= value[0] <= value[2]


def number(value: Any) -> Any:
    """A number without its interval."""
    return value[0] if is_interval(value) else value


class Compared(NamedTuple):
    """One number of ours, and whether it is where the claim says.

    Attributes
    ----------
    name : which number; empty if there is only one.
    value, low, high : the number and its interval; the same three times if it is exact, infinite ends if the interval
        is unknown. NaN for what is no number.
    verdict : undecided where only a part of the interval is where the claim says.
    slack : how far the interval is inside; negative if it is not.
    has_interval : whether it is measured with an interval that is known.
    """

    name: str
    value: float
    low: float
    high: float
    verdict: str
    slack: float = 0
    has_interval: bool = False


class _Range(NamedTuple):
    """Where a number should be; `is_open` excludes both ends."""

    low: float
    high: float
    is_open: bool = False


_BELOW, _ABOVE = _Range(-inf, 0, True), _Range(0, inf, True)


def _compared(name: str, value: Any, wanted: _Range) -> Compared:
    middle, low, high = value if is_interval(value) else (value,) * 3
    if low is None:
        middle, low, high = nan if middle is None else middle, -inf, inf
    reach = (lambda a, b: a < b) if wanted.is_open else (lambda a, b: a <= b)
    if reach(wanted.low, low) and reach(high, wanted.high):
        verdict = AGREES
    else:
        verdict = UNDECIDED if reach(wanted.low, high) and reach(low, wanted.high) else DIFFERS
    slack = min(low - wanted.low, wanted.high - high)
    return Compared(name, middle, low, high, verdict, slack, is_interval(value) and not isinf(low))


def deciding(compared: Iterable[Compared]) -> Compared:
    """The number that decides: one that differs, else one that is undecided; of several the one farthest off."""
    return min(compared, key=lambda one: ((DIFFERS, UNDECIDED, AGREES).index(one.verdict), one.slack))


def _path(*names: str) -> str:
    return ", ".join(filter(None, names))


def _equal(expected: Any, ours: Any, differences: Any = None, name: str = "") -> Iterator[Compared]:
    """Equal, numbers up to the printed precision; additional measurements are ignored."""
    if isinstance(expected, Mapping) and isinstance(ours, Mapping) and expected.keys() <= ours.keys():
        for own in expected:
            yield from _equal(expected[own], ours[own], None, _path(name, own))
    elif _is_list(expected) and _is_list(ours):
        if len(expected) == len(ours):
            for one, other in zip(expected, ours, strict=True):
                yield from _equal(one, other, None, name)
        else:
            yield _exact(name, False)
    elif (isinstance(expected, float) or is_interval(ours)) and isinstance(number(ours), int | float):
        half = 0.5 * 10.0 ** -_digits(expected) * (1 + 1e-9)
        yield _compared(name, ours, _Range(expected - half, expected + half))
    else:
        yield _exact(name, bool(expected == ours))


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _exact(name: str, is_equal: bool) -> Compared:
    return Compared(name, nan, nan, nan, AGREES if is_equal else DIFFERS)


def _digits(value: float) -> int:
    return len(f"{value!r}".partition(".")[2]) if "e" not in f"{value!r}" else 12


def _each(expected: Any, ours: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """What is expected of every number of ours by name: its own, or the same of all."""
    if isinstance(ours, Mapping):
        for own in expected if isinstance(expected, Mapping) else ours:
            yield from _each(expected[own] if isinstance(expected, Mapping) else expected, ours[own], own)
    else:
        yield name, expected, ours


def _sign(expected: Any, ours: Any, differences: Any = None) -> Iterator[Compared]:
    """All numbers have the printed sign, each its own or one for all."""
    for name, sign, one in _each(expected, ours):
        yield _compared(name, one, _ABOVE if sign > 0 else _BELOW)


def _order(expected: Sequence[str], ours: Mapping[str, Any], differences: Any = None) -> Iterator[Compared]:
    """The names in printed order have ascending numbers."""
    for first, second in pairwise(expected):
        yield _compared(f"{first} − {second}", _difference(first, second, ours, differences), _BELOW)


def _difference(first: str, second: str, ours: Mapping[str, Any], differences: Any) -> Any:
    """The first minus the second: the paired difference if there is one, else of two exact numbers; numbers with
    intervals of their own are as far apart as these allow."""
    if differences:
        if second in differences.get(first, {}):
            return differences[first][second]
        value, low, high = differences[second][first]
        return [-value, -high, -low]
    (a, a_low, a_high), (b, b_low, b_high) = (
        one if is_interval(one) else (one,) * 3 for one in (ours[first], ours[second])
    )
    if not is_interval(ours[first]) and not is_interval(ours[second]):
        return a - b
    if a_low is None or b_low is None:
        return [float(a - b), None, None]
    return [float(a - b), float(a_low - b_high), float(a_high - b_low)]


def _first(wanted: _Range, expected: str, ours: Any, differences: Any = None, name: str = "") -> Iterator[Compared]:
    """The name's differences from all others are in the range; with several columns, in each."""
    if isinstance(ours[expected], Mapping):
        for column in ours[expected]:
            numbers = {row: values[column] for row, values in ours.items()}
            yield from _first(wanted, expected, numbers, (differences or {}).get(column), column)
        return
    for other in ours:
        if other != expected:
            label = _path(name, f"{expected} − {other}")
            yield _compared(label, _difference(expected, other, ours, differences), wanted)


def _within(expected: Any, ours: Any, differences: Any = None) -> Iterator[Compared]:
    """All numbers are between the two printed ones; two numbers are a range of ours."""
    for name, (low, high), one in _each(expected, ours):
        for value in one if isinstance(one, list) and len(one) == 2 else [one]:
            yield _compared(name, value, _Range(low, high))


def _near(expected: Any, ours: Any, differences: Any = None) -> Iterator[Compared]:
    """All numbers are within a tenth of the printed ones."""
    for name, wanted, one in _each(expected, ours):
        for middle, value in zip(wanted, one, strict=True) if _is_list(wanted) else [(wanted, one)]:
            tenth = 0.1 * abs(middle)
            yield _compared(name, value, _Range(middle - tenth, middle + tenth))


def _above(expected: Any, ours: Any, differences: Any = None) -> Iterator[Compared]:
    """All numbers are at least the printed one."""
    for name, least, one in _each(expected, ours):
        yield _compared(name, one, _Range(least, inf))


RULES: Mapping[str, Callable[..., Iterable[Compared]]] = {
    "equal": _equal,
    "sign": _sign,
    "order": _order,
    "least": partial(_first, _Range(-inf, 0)),
    "most": partial(_first, _Range(0, inf)),
    "within": _within,
    "near": _near,
    "above": _above,
}
"""From what is expected, our numbers, and the paired differences between them if there are any (by name and name)."""
