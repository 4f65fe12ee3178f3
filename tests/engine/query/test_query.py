"""Queries find what a matcher finds that enumerates all sequences of units; errors point at the place."""

import re
import time
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.measure.layers import Layer, line_starts, token_layer, word_layer
from engine.query.parse import MAX_STATES, n_states, parse_query
from engine.query.syntax import (
    MORPHEMES,
    TOKENS,
    WORDS,
    Alternatives,
    AnyUnit,
    Bracket,
    Chain,
    Combined,
    Comparison,
    Condition,
    QueryError,
    Repetition,
    Tree,
)
from engine.query.text import SearchedText

Unit = tuple[str, int, int, tuple[dict[str, str], ...]]  # layer, begin, end, readings


# ---- the naive matcher: for one line of one-byte characters


def _holds(condition: Condition, readings: dict[str, dict[str, str]], units: list[Unit]) -> bool:
    """Whether one choice of readings, by layer, fulfils the condition."""
    if isinstance(condition, AnyUnit):
        return True
    if isinstance(condition, Combined):
        return (all if condition.is_all else any)(_holds(part, readings, units) for part in condition.parts)
    (layer,) = condition.layers

    def fits(reading: dict[str, str]) -> bool:
        assert isinstance(condition, Comparison)
        value = reading[condition.attribute]
        return value == condition.value if condition.is_literal else bool(re.fullmatch(condition.value, value))

    if condition.is_negative:
        return not any(fits(one) for name, _, _, own in units if name == layer for one in own)
    return fits(readings[layer])


def _choices(units: list[Unit]) -> Iterator[dict[str, dict[str, str]]]:
    if not units:
        yield {}
        return
    (layer, _, _, own), *rest = units
    for reading in own:
        for others in _choices(rest):
            yield {layer: reading, **others}


def _taken(bracket: Bracket, line: str, units: list[Unit]) -> Iterator[tuple[str, int, int]]:
    """What the bracket takes anywhere: layer, begin, end."""
    layers = bracket.condition.layers
    own = [one for one in units if one[0] == layers[0]]
    for one in own:
        together = [one]
        name, begin, end = one[0], one[1], one[2]
        if len(layers) > 1:
            name = "several"
            inside = line[begin:end]
            begin, end = begin + len(inside) - len(inside.lstrip()), begin + len(inside.rstrip())
            if begin >= end:
                continue
            for layer in layers[1:]:
                together += [
                    other
                    for other in units
                    if other[0] == layer
                    and line[other[1] : other[2]].strip()
                    and other[1] + len(line[other[1] : other[2]]) - len(line[other[1] : other[2]].lstrip()) == begin
                    and other[1] + len(line[other[1] : other[2]].rstrip()) == end
                ]
            if len(together) != len(layers):
                continue
        if any(_holds(bracket.condition, readings, together) for readings in _choices(together)):
            yield name, begin, end


State = tuple[int, str]  # where the last unit ended, and its layer; at first -1


def _steps(bracket: Bracket, line: str, units: list[Unit], state: State) -> set[State]:
    at, before = state
    found = set()
    for name, begin, end in _taken(bracket, line, units):
        is_at = begin == at and name == TOKENS
        seen = at + len(line[at:]) - len(line[at:].lstrip())
        is_after = not (before == name == TOKENS) and at <= begin <= seen < end
        if is_at or is_after:
            found.add((end, name))
    return found


def naive_matches(tree: Tree, line: str, units: list[Unit]) -> list[tuple[int, int]]:
    """The longest match of every beginning, from the left, without overlaps."""
    found, last = [], 0
    for begin in range(len(line)):
        ends = [end for end, _ in _ends_from(tree, line, units, begin)]
        if ends and begin >= last:
            found.append((begin, max(ends)))
            last = max(ends)
    return found


def _ends_from(tree: Tree, line: str, units: list[Unit], begin: int) -> set[State]:
    """States after matches that begin exactly here."""

    def walk(part: Tree, states: set[State]) -> set[State]:
        if isinstance(part, Bracket):
            found = set()
            for state in states:
                if state[0] < 0:
                    found |= {(e, n) for n, b, e in _taken(part, line, units) if b == begin}
                else:
                    found |= _steps(part, line, units, state)
            return found
        if isinstance(part, Chain):
            for one in part.parts:
                states = walk(one, states)
            return states
        if isinstance(part, Alternatives):
            return {one for own in part.parts for one in walk(own, states)}
        found = set(states) if part.low == 0 else set()
        for number in range(1, (part.high or len(line) + part.low + 2) + 1):
            states = walk(part.part, states)
            found |= states if number >= part.low else set()
        return found

    return {state for state in walk(tree, {(-1, "")}) if state[0] >= 0}


# ---- random sentences with three layers, and random queries


@st.composite
def _lines(draw: st.DrawFn) -> tuple[str, list[Unit]]:
    line = draw(st.text("ab ", max_size=7))
    units: list[Unit] = []
    at = 0
    while at < len(line):
        end = draw(st.integers(at + 1, min(len(line), at + 3)))
        units.append((TOKENS, at, end, ({"token": line[at:end].replace(" ", "␣")},)))
        at = end
    at = 0
    while at < len(line):
        end = draw(st.integers(at + 1, min(len(line), at + 2)))
        if " " not in line[at:end] and draw(st.integers(0, 5)):
            units.append((MORPHEMES, at, end, draw(st.sampled_from(_readings_of(line[at:end])))))
        at = end
    units += [(WORDS, *found.span(), ({"word": found[0]},)) for found in re.finditer(r"\S+", line)]
    return line, units


def _readings_of(morph: str) -> list[tuple[dict[str, str], ...]]:
    one = {"form": morph, "tag": "N", "morph": morph}
    other = {"form": "a", "tag": "V", "morph": morph}
    fused = [("a", "V"), ("b", "E")]
    several = [{"form": f, "tag": t, "morph": morph} for f, t in [("a+b", "V+E"), *fused]]
    return [(one,), (other,), tuple(several)]


_COMPARISONS = st.builds(
    lambda pair, sign, literal: Comparison(pair[0], pair[1], literal, sign),
    st.sampled_from(
        [
            *(("token", "a"), ("token", "␣.*"), ("token", "␣"), ("token", "..?"), ("form", "a|b"), ("form", "b")),
            *(
                ("tag", "V"),
                ("tag", "E"),
                ("tag", "N"),
                ("morph", "a.?"),
                ("word", "a.*"),
                ("word", ".b"),
                ("word", r".*b|a\-|\||a"),
            ),
        ]
    ),
    st.booleans(),
    st.booleans(),
)
_CONDITIONS = st.recursive(
    _COMPARISONS | st.sampled_from([TOKENS, MORPHEMES, WORDS]).map(AnyUnit),
    lambda inner: st.builds(Combined, st.booleans(), st.tuples(inner, inner)),
    max_leaves=3,
)
_TREES = st.recursive(
    st.builds(Bracket, _CONDITIONS),
    lambda inner: st.one_of(
        st.builds(Chain, st.tuples(inner, inner)),
        st.builds(Alternatives, st.tuples(inner, inner)),
        st.builds(Repetition, inner, st.integers(0, 2), st.sampled_from([None, 2, 3])),
    ),
    max_leaves=4,
)


def _said(tree: Tree | Condition) -> str:
    """The tree as a query."""
    if isinstance(tree, Comparison):
        sign = ("!" if tree.is_negative else "") + ("==" if tree.is_literal else "=")
        return f'{tree.attribute} {sign} "{tree.value}"'
    if isinstance(tree, AnyUnit):
        return {TOKENS: "token", MORPHEMES: "morph", WORDS: "word"}[tree.layer]
    if isinstance(tree, Combined):
        return "(" + (" & " if tree.is_all else " | ").join(map(_said, tree.parts)) + ")"
    if isinstance(tree, Bracket):
        return f"[{_said(tree.condition)}]"
    if isinstance(tree, Chain):
        return " ".join(f"({_said(part)})" for part in tree.parts)
    if isinstance(tree, Alternatives):
        return "(" + " | ".join(map(_said, tree.parts)) + ")"
    return f"({_said(tree.part)}){{{tree.low},{tree.high or ''}}}"


def _searched(lines: list[tuple[str, list[Unit]]]) -> SearchedText:
    texts = [line for line, _ in lines]
    starts, layers = line_starts(texts), []
    for name in (TOKENS, MORPHEMES, WORDS):
        found = [
            (starts[i] + b, starts[i] + e, own) for i, (_, us) in enumerate(lines) for n, b, e, own in us if n == name
        ]
        ptr = np.cumsum([0, *(sum(n == name for n, *_ in us) for _, us in lines)])
        distinct = list({str(own): own for *_, own in found}.values())
        kind = np.array([distinct.index(own) for *_, own in found], dtype=np.int32)
        keys = {TOKENS: ["token"], WORDS: ["word"], MORPHEMES: ["form", "tag", "morph"]}[name]
        values = {key: [own[0][key] for own in distinct] for key in keys}
        begin, end = (np.array([one[k] for one in found], dtype=np.int64) for k in (0, 1))
        layers.append(Layer(name, begin, end, ptr, kind, values))
    return SearchedText(texts, layers)


@settings(max_examples=150, deadline=None)
@given(st.lists(_lines(), min_size=1, max_size=3), _TREES)
def test_matches_are_those_of_all_sequences(lines: list[tuple[str, list[Unit]]], tree: Tree) -> None:
    if n_states(tree) > MAX_STATES:
        return
    found = _searched(lines).find(parse_query(_said(tree)))
    own = list(zip(found.line.tolist(), found.begin.tolist(), found.end.tolist(), strict=True))
    expected = [(i, *span) for i, (line, units) in enumerate(lines) for span in naive_matches(tree, line, units)]
    assert own == expected, _said(tree)


_WRONG = [
    ("[tag=]", "query.unexpected", 5),
    ('[tag="NNG"', "query.end", 10),
    ('[tag="NNG] ', "query.unclosed", 5),
    ('[for="을"]', "query.unknown", 1),
    ('[tag "NNG"]', "query.unexpected", 5),
    ('[tag="a" & ]', "query.unexpected", 11),
    ('[tag="a"]{3,1}', "query.counts", 9),
    ('[tag="a"]{0}', "query.counts", 9),
    ('[tag="a"]{,}', "query.counts", 9),
    ('([tag="a"]', "query.end", 10),
    ('[tag="a"])', "query.unexpected", 9),
    ('[tag="a"] | ', "query.end", 12),
    ('* [tag="a"]', "query.unexpected", 0),
    ("[token]{201}", "query.large", 0),
    ("([token]{50}){50}", "query.large", 0),
    ("(" * 31 + "[token]" + ")" * 31, "query.deep", 30),
]


@pytest.mark.parametrize(("text", "code", "at"), _WRONG, ids=[one[0][:20] for one in _WRONG])
def test_an_error_points_at_its_place(text: str, code: str, at: int) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(text)
    error = caught.value
    assert (error.code, error.values["at"]) == (code, at + 1)
    assert error.pointed.splitlines()[-1] == "".join("\u3000" if "가" <= c <= "힣" else " " for c in text[:at]) + "^"
    assert error.text("ko") != error.text("en") and "{at}" not in error.text("ko")
    assert InputError.from_fields(error.fields()).text("ko") == error.text("ko")


@pytest.mark.parametrize(("text", "code"), [(" ", "query.empty"), ("[token]" * 150, "query.long")])
def test_a_query_is_neither_empty_nor_endless(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_query(text)
    assert caught.value.code == code


def test_the_caret_stands_below_the_character_also_after_hangul() -> None:
    with pytest.raises(QueryError) as caught:
        parse_query('"학교" x')
    assert caught.value.pointed == '"학교" x\n \u3000\u3000  ^'


def test_any_unit_is_of_the_layer_before_it_or_else_after_it() -> None:
    assert parse_query('[] [tag="N"] [] [token] []').layers == [MORPHEMES, TOKENS]
    anys = [one.condition for one in parse_query('[] [tag="N"] [] "가" []').brackets]
    assert anys[0] == anys[2] == AnyUnit(MORPHEMES) and anys[4] == AnyUnit(WORDS)
    assert parse_query('[]{2} "token=a"').layers == [WORDS] and parse_query("[]").layers == [TOKENS]


def _words(*lines: str) -> SearchedText:
    return SearchedText(lines, [word_layer(lines)])


def test_a_wrong_value_is_named_and_a_slow_one_refused() -> None:
    text = _words("가" * 200 + "나")
    with pytest.raises(QueryError) as caught:
        text.find(parse_query('[word="a"] [word="(b"]'))
    assert (caught.value.code, caught.value.values["at"]) == ("query.pattern", 19)
    with pytest.raises(InputError) as slow:
        text.find(parse_query('[word="(가|가가)*"]'), seconds=0.3)
    assert slow.value.code == "pattern.slow"


def test_a_query_that_explodes_is_refused_in_time() -> None:
    text = _words(" ".join("ab"[k % 2] for k in range(60_000)))
    began = time.monotonic()
    with pytest.raises(InputError) as caught:
        text.find(parse_query('([word="a"] | [word="b"] | [])* ([] | [word="a"]*)* [word="b"]'), seconds=0.3)
    assert caught.value.code == "query.slow" and time.monotonic() - began < 3
    found = text.find(parse_query('"a" "b"'))
    assert len(found.line) == 30_000


def test_many_lines_in_batches_are_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["가 나 다", "", "나 나", " \u3000가\u00a0나", "다"] * 7
    query = parse_query('"가"? "나"+')
    whole = _words(*lines).find(query)
    monkeypatch.setattr("engine.query.text._MOST_CELLS", 5)
    for one, other in zip(whole, _words(*lines).find(query), strict=True):
        assert one.tolist() == other.tolist()
    spans = list(zip(*(one.tolist()[:3] for one in whole), strict=True))
    assert spans == [(0, 0, 7), (2, 0, 7), (3, 4, 12)]


def test_layers_have_places_in_the_lines() -> None:
    lines = ["한 a", "", "é\u3000나"]
    starts = line_starts(lines)
    assert starts.tolist() == [0, 6, 7, 16]
    words = word_layer(lines)
    assert (words.begin.tolist(), words.end.tolist()) == ([0, 4, 7, 12], [3, 5, 9, 15])
    assert words.line_ptr.tolist() == [0, 2, 2, 4] and words.labels == ["한", "a", "é", "나"]
    characters = word_layer(lines, "characters")
    assert characters.begin.tolist() == words.begin.tolist()
    size, kind = np.array([4, 0, 1, 2, 6]), np.array([0, 1, 0, 1, 0])
    tokens = token_layer(starts, size, np.array([0, 3, 3, 5]), kind, ["x", "y"])
    assert (tokens.begin.tolist(), tokens.end.tolist()) == ([0, 4, 7, 9], [4, 5, 9, 15])
    assert tokens.line_ptr.tolist() == [0, 2, 2, 4] and tokens.kind.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("value", [".*다\\.", "a\\|b|c.*", "\\\\|c", ".*\\*.*", "a|.*", "\\(", "다\\.|.*b"])
def test_a_simple_value_is_the_regular_expression_that_it_is(value: str) -> None:
    words = ["가다.", "가다", "a|b", "c", "cd", "x*y", "a", "b", "\\", "(", "다.", "ab"]
    found = _words(" ".join(words)).find(parse_query(f'[word="{value}"]'))
    assert len(found.line) == sum(bool(re.fullmatch(value, word)) for word in words) > 0
