"""Scores by part of speech and frequency, and the eojeols behind them, against a count piece by piece."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.measure.morphemes.analysis import Analysis, gold_analysis
from engine.measure.morphemes.gold import parse_gold
from engine.measure.morphemes.morphology import (
    CUT,
    FREQUENCIES,
    MISSED,
    TagError,
    morphology_scores,
    tag_errors,
    tag_scores,
)
from tests.engine.measure.test_measure import Cutter
from tests.engine.unigram.test_trainer import sentences, trained

TAGS = ["ncn", "jxt", "pvg", "ef"]
WORDS = ["나는", "집에", "먹는다", "가", "학교에서", "나는"]


def _conllu(words: list[tuple[str, list[int], list[str]]]) -> list[str]:
    """Lines of CoNLL-U: each eojeol with its cuts and a tag for each piece."""
    rows = [f"# text = {' '.join(word for word, *_ in words)}"]
    for number, (word, cuts, tags) in enumerate(words, start=1):
        parts = [word[a:b] for a, b in zip([0, *cuts], [*cuts, len(word)], strict=True)]
        rows.append(f"{number}\t{word}\t{'+'.join(parts)}\tX\t{'+'.join(tags)}\t_\t0\troot\t_\t_")
    return [*rows, ""]


eojeols = st.sampled_from(WORDS).flatmap(
    lambda word: st.tuples(
        st.just(word),
        st.sets(st.integers(1, max(1, len(word) - 1)), max_size=2).map(
            lambda cuts: sorted(c for c in cuts if c < len(word))
        ),
    )
)


@st.composite
def analyses(draw: st.DrawFn) -> Analysis:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        words = [
            (word, cuts, draw(st.lists(st.sampled_from(TAGS), min_size=len(cuts) + 1, max_size=len(cuts) + 1)))
            for word, cuts in draw(st.lists(eojeols, min_size=1, max_size=4))
        ]
        lines += _conllu(words)
    return gold_analysis(parse_gold(lines))


def _slow(tokenizer: Cutter, analysis: Analysis, frequency: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Hits and total of each tag and measure, and the eojeols counted, from the definition."""
    text = "".join(analysis.lines).encode()
    edges: set[int] = set()
    spans: list[tuple[int, int]] = []
    at = 0
    for line in analysis.lines:
        spans += [(at + a, at + b) for a, b in tokenizer.encode(line).spans]
        at += len(line.encode())
    edges = {edge for span in spans for edge in span}
    trimmed = {(b - len(text[a:b].lstrip()), a + len(text[a:b].rstrip())) for a, b in spans}
    words = [text[a:b] for a, b in zip(analysis.word_begin, analysis.word_end, strict=True)]
    often = Counter(words)
    low, high = FREQUENCIES.get(frequency, (1, None))
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for piece, word in enumerate(analysis.word.tolist()):
        if not low <= often[words[word]] <= (high or 10**9):
            continue
        begin, end, tag = int(analysis.begin[piece]), int(analysis.end[piece]), analysis.tags[analysis.tag[piece]]
        hits = {"cut": any(begin < edge < end for edge in edges), "whole": (begin, end) in trimmed}
        if begin > analysis.word_begin[word]:
            hits["found"] = begin in edges
        for name, hit in hits.items():
            top, bottom = sums.get((tag, name), (0, 0))
            sums[tag, name] = (top + hit, bottom + 1)
    return sums


@settings(max_examples=60)
@given(
    analyses(),
    st.sets(st.sampled_from(["나는", " 집", "먹", "는다", " 학교", "에서", "에"])),
    st.sampled_from(["", *FREQUENCIES]),
)
def test_scores_and_errors_are_those_of_a_slow_count(analysis: Analysis, tokens: set[str], frequency: str) -> None:
    tokenizer = Cutter(*sorted(tokens))
    slow = _slow(tokenizer, analysis, frequency)
    scores = tag_scores(tokenizer, analysis, frequency)
    assert {one.tag for one in scores} == {tag for tag, _ in slow}
    for one in scores:
        for measure in (one.cut, one.found, one.whole):
            top, bottom = slow.get((one.tag, measure.name), (0, 0))
            assert measure.n == bottom and (measure.value == pytest.approx(top / bottom) if bottom else True)
        for kind, measure in ((CUT, one.cut), (MISSED, one.found)):
            top, bottom = slow.get((one.tag, measure.name), (0, 0))
            n_wrong = top if kind == CUT else bottom - top
            places = [
                line for error in tag_errors(tokenizer, analysis, one.tag, kind, frequency) for line in error.lines
            ]
            # An eojeol with two such pieces counts once.
            assert bool(places) == bool(n_wrong) and len(places) <= n_wrong
    if not frequency:
        assert repr(scores) == repr(morphology_scores(tokenizer, analysis).by_tag)


def test_errors_by_hand() -> None:
    gold = [
        *_conllu([("학교에서", [2], ["ncn", "jxt"]), ("나는", [1], ["ncn", "jxt"])]),
        *_conllu([("나는", [1], ["ncn", "jxt"])]),
    ]
    analysis = gold_analysis(parse_gold(gold))
    tokenizer = Cutter("학", "교에서", " 나는", "나는")
    assert tag_errors(tokenizer, analysis, "ncn", CUT) == [TagError("학교에서", "학교+에서", "학|교에서", [0])]
    missed = tag_errors(tokenizer, analysis, "jxt", MISSED)
    assert missed == [TagError("나는", "나+는", "나는", [0, 1]), TagError("학교에서", "학교+에서", "학|교에서", [0])]
    assert tag_errors(tokenizer, analysis, "jxt", MISSED, "2-9") == missed[:1]
    assert tag_errors(tokenizer, analysis, "ef", CUT) == []
    # Parts of a character are shown as bytes.
    (error,) = tag_errors(Cutter("나는", " 나는"), analysis, "ncn", CUT)
    assert error.tokens.startswith("<0xED>|<0x95>|") and error.surface == "학교에서"
    with pytest.raises(InputError, match="normalising"):
        tag_errors(trained(sentences(60), vocab_size=300, normalization="nfd"), analysis, "ncn", CUT)
