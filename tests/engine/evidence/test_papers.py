"""The page Papers: what is stored is what the program measures, what is printed is what the sources print."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.texts.catalogue import LANGUAGES, catalogue
from app.views.papers.exhibits import QUALITIES, korean_study
from engine.cli import main
from engine.evidence.claims import (
    AGREES,
    CLAIM_SIZES,
    DIFFERS,
    NOT_MEASURED,
    RULES,
    SOURCES,
    UNDECIDED,
    VERDICTS,
    Claim,
    deciding,
    exhibits,
    is_interval,
    measured,
    printed,
)
from engine.evidence.show import counts, document, live_address, ours_text, reason, value_text
from engine.evidence.stored import stored, stored_names
from engine.evidence.templates import TEMPLATES, wrap
from engine.public.load import load_public
from engine.shipped.catalogue import load_shipped
from research.evidence import papers_entropy as entropy
from research.evidence import papers_public as public
from research.evidence import papers_shipped as shipped
from research.evidence import papers_thunder_tok as thunder_tok
from research.evidence import papers_worked as worked
from research.evidence.paired import with_interval
from research.evidence.texts import EvidenceTexts, pieces_of, read_texts
from tests.conftest import ROOT
from tests.pages import PAGES, open_page
from tests.url_parameters import url_parameters


def _claims(size: int | None = None, sources: Sequence[str] = SOURCES) -> list[Claim]:
    return [claim for source in sources for exhibit in exhibits(source, size) for claim in exhibit.claims]


_EXHIBITS = [exhibit for source in SOURCES for exhibit in exhibits(source)]
_LIVE = [exhibit for source in SOURCES for exhibit in exhibits(source, 32_000) if exhibit.live]
_CLAIMS = _claims()


def _json(figures: object) -> object:
    """As it comes out of a file."""
    return json.loads(json.dumps(figures))


def test_every_claim_has_its_texts_and_no_text_is_left_over() -> None:
    assert len(_CLAIMS) > 120
    assert [name for name, times in Counter(one.id for one in _CLAIMS).items() if times > 1] == []
    for kind, wanted in (("exhibit", {one.id for one in _EXHIBITS}), ("claim", {one.id for one in _CLAIMS})):
        assert {key.split(".")[2] for key in catalogue() if key.startswith(f"papers.{kind}.")} == wanted
    told = {key.split(".")[2] for key in catalogue() if key.startswith("papers.why.")}
    assert told <= {one.id for one in _CLAIMS}
    assert {key.split(".")[2] for key in catalogue() if key.startswith("papers.note.")} <= {one.id for one in _EXHIBITS}


@pytest.mark.parametrize("size", CLAIM_SIZES)
def test_what_does_not_agree_has_a_reason(size: int) -> None:
    for language in LANGUAGES:
        assert [one.id for one in _claims(size) if one.verdict != AGREES and not reason(one, language)] == []


def test_an_exhibit_without_a_claim_is_shown_and_told() -> None:
    bare = [one for one in _EXHIBITS if not one.claims]
    assert bare and all(one.live and f"papers.note.{one.id}" in catalogue() for one in bare)


def test_every_path_leads_to_a_stored_figure() -> None:
    for claims in zip(*map(_claims, CLAIM_SIZES), strict=True):  # of one claim; a size may be missing
        claim = claims[0]
        if claim.rule and claim.evidence in stored_names():
            assert any(one.ours is not None for one in claims), claim.id
        assert claim.rule in {"", "holds_for", *RULES}
    assert [one.id for one in _CLAIMS if one.verdict == NOT_MEASURED and one.ours is not None] == []


def test_every_stored_figure_says_how_it_was_made() -> None:
    for evidence in map(stored, stored_names()):
        assert evidence.command.startswith("python -m research.") and evidence.name in stored_names()
        assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?", evidence.commit), evidence.name
        assert evidence.figures
        assert all(re.fullmatch(r"[0-9a-f]{64}", text) for text in evidence.corpus.values())


def test_worked_examples_are_those_that_are_stored() -> None:
    (figures,) = worked.figures(EvidenceTexts({}, {}, {}), {})
    assert _json(figures) == stored("papers_worked").figures


def test_gpt2s_figures_are_those_that_are_stored() -> None:
    found = _json(public.text_figures({"gpt2": load_public("gpt2")}))
    assert isinstance(found, dict)
    for name in ("ids", "counts", "pieces", "morphemes", "same_cut"):
        assert found[name]["gpt2"] == stored("papers_public").figures[name]["gpt2"]


@pytest.mark.slow
def test_other_public_tokenizers_figures_are_those_that_are_stored() -> None:
    pytest.importorskip("splintr")
    found = _json(public.text_figures({name: load_public(name) for name in public.NAMES}))
    assert isinstance(found, dict)
    assert {name: stored("papers_public").figures[name] for name in found} == found


def test_the_gain_and_the_marks_of_a_text_are_those_that_are_stored(shared_data: Path) -> None:
    """The marks are counted in the text of BPE's tokens."""
    lines = read_texts(shared_data).held_back["learner_essays"]
    found = {what: with_interval(one, 2) for what, one in shipped.gain_and_marks(lines).items()}
    assert found == stored("papers_shipped").figures["gain"]["learner_essays"]
    bpe = load_shipped("byte-bpe-32k")
    pairs = [pair for line in lines for pair in pairwise(["", *pieces_of(bpe, line)])]
    share = sum(before[-1:].isalpha() and piece in {".", "?", "!"} for before, piece in pairs) / len(pairs)
    assert round(100 * share, 2) == found["marks"][0]


def test_the_shipped_thunder_tok_cuts_as_it_is_stored() -> None:
    name = "Thunder-Tok"
    found = thunder_tok.segmentations({name: load_shipped(thunder_tok.TOKENIZERS[name][2])})
    figures = stored("papers_thunder_tok").figures["sizes"]["32000"]
    assert {what: own[name] for what, own in found.items()} == {what: figures[what][name] for what in found}


@pytest.mark.slow
def test_the_shipped_vocabularies_are_as_it_is_stored() -> None:
    tokenizers = {name: load_shipped(parts[2]) for name, parts in thunder_tok.TOKENIZERS.items()}
    figures = stored("papers_thunder_tok").figures["sizes"]["32000"]
    assert {what: figures[what] for what in thunder_tok.segmentations(tokenizers)} == thunder_tok.segmentations(
        tokenizers
    )
    assert figures["vocabulary"] == _json(thunder_tok.vocabularies(tokenizers))


@pytest.mark.slow
def test_fertility_on_other_lines_has_the_stored_signs(shared_data: Path) -> None:
    """The lines that were held back are taken anew; the tokenizers are those that come with the program."""
    texts = read_texts(shared_data)
    tokenizers = {name: load_shipped(parts[2]) for name, parts in thunder_tok.TOKENIZERS.items()}
    figures = stored("papers_thunder_tok").figures["sizes"]["32000"]
    found = thunder_tok.fertilities(tokenizers, {"casual": texts.of_table_3()["casual"]})
    assert all(figures["fertility"][name]["casual"][0] == row["casual"][0] for name, row in found["fertility"].items())
    other = thunder_tok.fertilities(tokenizers, {"casual": texts.part(1)[::500]})
    assert all(
        (other["difference"]["casual"][name]["Thunder-Tok"][0] > 0)
        == (found["difference"]["casual"][name]["Thunder-Tok"][0] > 0)
        for name in ("BPE", "Unigram", "BPE-Mecab")
    )


@pytest.mark.slow
def test_chinese_boundaries_are_those_that_are_stored(shared_data: Path) -> None:
    assert _json(entropy.gold_figures(entropy.read_ud(shared_data))) == stored("papers_entropy").figures["ud"]


def test_printed_numbers_are_the_papers(shared_data: Path) -> None:
    for source in ("thunder_tok", "entropy"):
        text = _seed(shared_data, source)
        for exhibit in exhibits(source):
            for values in exhibit.printed.values() if isinstance(exhibit.printed, dict) and exhibit.columns else ():
                row = r"\s".join(f"{value:g}".replace(".", r"\.") + r"\.?0*" for value in values)
                if exhibit.id not in ("table5", "table6"):  # other orders of rows and columns
                    assert re.search(row, text), (exhibit.id, values)


def _seed(shared_data: Path, source: str) -> str:
    if source == "authors":  # the notes on their program, and a run of it
        notes = (shared_data.parent / "authors.md", shared_data / "authors" / "toy34_paper_110.json")
        return "\n".join(path.read_text(encoding="utf-8") for path in notes)
    number = ("thunder_tok", "slides", "entropy", "lesson", "textbook").index(source)
    (path,) = (shared_data.parent / "seeds").glob(f"{number:03}_*.txt")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("source", SOURCES[:-1])  # the last one is ours
def test_claims_quote_their_source(shared_data: Path, source: str) -> None:
    """Every number is printed as it stands, every word in its order; only punctuation and line ends may differ."""
    text = _seed(shared_data, source).replace("\\", "")
    for claim in _claims(sources=[source]):
        quoted = list(_leaves(claim.printed))
        assert quoted and [one for one in quoted if not re.search(_as_printed(one), text)] == [], claim.id


def _leaves(value: Any) -> Iterator[str | float]:
    if isinstance(value, str | float | int):
        yield value
    else:
        for one in (value.values() if isinstance(value, dict) else value) if value is not None else ():
            yield from _leaves(one)


def _as_printed(value: str | float) -> str:
    """A pattern: the words, or the number with its trailing zeros or thousands separators."""
    if isinstance(value, str):
        return r"\W*".join(map(re.escape, re.findall(r"\w+", value))) or re.escape(value)
    digits = re.escape(f"{abs(value)!r}".removesuffix(".0")) + (r"\.?0*" if isinstance(value, float) else "")
    return rf"(?<![\d.,])(?:{digits}|{abs(value):,})(?!\d|[.,]\d)"


def test_a_claim_without_a_tokenizer_is_asked_of_all() -> None:
    claims = {claim.id: claim for claim in _CLAIMS}
    verdicts = {name: claims[name].verdict for name in ("s_smith", "s_neighbour", "s_decimals")}
    assert verdicts == {"s_smith": AGREES, "s_neighbour": UNDECIDED, "s_decimals": DIFFERS}
    assert all(claims[name].ours.keys() == set(public.NAMES) for name in verdicts)
    assert {name for name, holds in claims["s_neighbour"].ours.items() if holds} >= {"cl100k_base", "llama3"}
    assert ours_text(claims["s_decimals"], "en") == f"true for 0 of {len(public.NAMES)} tokenizers"
    assert ours_text(claims["l_per_word"], "en") == "true for 16 of 17 tokenizers (✗ Llama 2)"
    assert ours_text(claims["l_per_word"], "ko", 32) == "토크나이저 17개 중 16개에서 성립"
    assert ours_text(claims["l_korean_gpt2"], "en") == "true under 0 of 2 readings"


def _verdict(rule: str, expected: object, ours: object, differences: object = None) -> str:
    return deciding(RULES[rule](expected, ours, differences)).verdict


def test_ranges_signs_and_orders_are_told_apart() -> None:
    agree = [
        ("equal", [1.5, {"a": "x"}], [1.4999, {"a": "x", "b": "y"}]),
        ("equal", 3, [2.8, 2.6, 3.4]),
        ("sign", {"a": -3}, {"a": [-0.1, -0.2, -0.05]}),
        ("sign", -1, {"a": -2, "b": [-1.0, -1.5, -0.5]}),
        ("order", ["a", "b"], {"a": 1, "b": [2.0, 1.9, 2.1], "c": 0}),
        ("least", "a", {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 4}}),
        ("most", "b", {"a": 1, "b": 3}),
        ("within", [2, 4], [2.5, 3.7]),
        ("near", [4, 15], [3.9, 14.3]),
        ("above", 3, {"a": 3, "b": 7}),
    ]
    differ = [
        ("equal", [1.5], [1.56]),
        ("sign", -3, [0.1, 0.05, 0.4]),
        ("sign", -1, {"a": -2, "b": 1}),
        ("order", ["b", "a"], {"a": 1, "b": 2}),
        ("least", "a", {"a": {"x": 1, "y": 5}, "b": {"x": 3, "y": 4}}),
        ("most", "a", {"a": 1, "b": 3}),
        ("within", [2, 4], {"a": 3, "b": 5}),
        ("near", 10, 8.4),
        ("above", 3, {"a": 3, "b": 2}),
    ]
    undecided = [
        ("equal", 1.5, [1.5, 1.4, 1.6]),
        ("sign", -3, [0.1, -0.2, 0.4]),
        ("sign", -3, [-0.1, None, None]),
        ("order", ["a", "b"], {"a": [1.0, 0.5, 1.5], "b": [1.2, 0.9, 1.4]}),
        ("most", "a", {"a": [1.0, 0.5, 1.5], "b": [1.2, 0.9, 1.4]}),
        ("within", [2, 4], {"a": 3, "b": [3.9, 3.8, 4.1]}),
        ("near", 10, [9.0, 8.9, 9.1]),
        ("above", 3, {"a": 3, "b": [3.1, 2.9, 3.2]}),
    ]
    for verdict, cases in ((AGREES, agree), (DIFFERS, differ), (UNDECIDED, undecided)):
        assert [case for case in cases if _verdict(*case) != verdict] == []
    assert {rule for rule, *_ in agree} == {rule for rule, *_ in differ} == set(RULES)


_POINTS = st.integers(-8, 8).map(lambda k: k / 2)
_INTERVALS = st.lists(_POINTS, min_size=3, max_size=3).map(sorted).map(lambda one: [one[1], one[0], one[2]])
_WANTED = st.one_of(
    st.tuples(st.sampled_from(["sign", "near", "above", "equal"]), st.integers(-3, 3).filter(bool).map(float)),
    st.tuples(st.just("within"), st.lists(_POINTS, min_size=2, max_size=2).map(sorted)),
)


@given(_WANTED, _INTERVALS, st.tuples(st.integers(0, 4), st.integers(0, 4)))
def test_an_interval_decides_what_all_its_points_say_and_a_wider_one_no_more(wanted, interval, more) -> None:
    """The points are dense enough: every end of a range and of an interval is one, or between two of them."""
    rule, expected = wanted
    value, low, high = interval
    said = {_verdict(rule, expected, low + k / 40) for k in range(round(40 * (high - low)) + 1)}
    verdict = _verdict(rule, expected, interval)
    assert verdict == (said.pop() if len(said) == 1 else UNDECIDED)
    assert _verdict(rule, expected, [value, low - more[0], high + more[1]]) in {verdict, UNDECIDED}


@given(st.lists(_INTERVALS, min_size=3, max_size=3), st.permutations("abc"))
def test_pairs_are_compared_by_their_difference_whichever_way_it_is_stored(differences, names) -> None:
    pairs = dict(zip((("a", "b"), ("a", "c"), ("b", "c")), differences, strict=True))
    stored_way: dict[str, dict[str, list[float]]] = {}
    for (first, second), one in pairs.items():
        stored_way.setdefault(first, {})[second] = one

    def below(first: str, second: str, is_strict: bool) -> str:
        _, low, high = pairs.get((first, second)) or [-x for x in (pairs[second, first][k] for k in (0, 2, 1))]
        holds = [one < 0 if is_strict else one <= 0 for one in (low, high)]
        return AGREES if all(holds) else UNDECIDED if any(holds) else DIFFERS

    def joined(verdicts: list[str]) -> str:
        return next(one for one in (DIFFERS, UNDECIDED, AGREES) if one in verdicts)

    ours, (x, y, z) = dict.fromkeys("abc", 1.0), names
    in_order = joined([below(x, y, True), below(y, z, True)])
    assert _verdict("order", names, ours, stored_way) == in_order
    assert _verdict("least", x, ours, stored_way) == joined([below(x, y, False), below(x, z, False)])
    assert _verdict("most", x, ours, stored_way) == joined([below(y, x, False), below(z, x, False)])


@pytest.mark.parametrize("size", CLAIM_SIZES)
def test_a_measured_comparison_has_an_interval(size: int) -> None:
    counted = {"equal", ""}  # cuts, vocabularies and arithmetic are exact
    exact = {"papers_worked"}
    exact_ids = {"t2_least", "greeting_mecab", "f1_share", "f2_shared", "e_pmi", "e_zero"}
    for claim in _claims(size):
        if claim.decided_by and claim.rule not in counted and claim.evidence not in exact:
            assert claim.decided_by.has_interval != (claim.id in exact_ids), claim.id
            assert claim.id in exact_ids or "(" in ours_text(claim, "en")


def test_a_figure_that_is_not_stored_is_none() -> None:
    assert measured("nothing", "a/b") is None and measured("papers_worked", "merges/nothing") is None
    assert measured("papers_worked", "") is None
    assert measured("papers_public", "languages/*/max_min")["gpt2"][0] > 5
    assert measured("papers_worked", "merges/slides/0") == "e r"


def test_known_errors_are_found_with_their_true_values() -> None:
    """As the project's notes list them, by other arithmetic."""
    slips = {claim.id: claim for claim in _CLAIMS if claim.is_slip}
    assert all(claim.verdict == DIFFERS for claim in slips.values())
    rows = printed("thunder_tok", "table3")
    assert slips["t3_means"].ours == {name: round(sum(row) / 5, 4) for name, row in rows.items()}
    assert measured("papers_worked", "table3/change/five columns") == -8.4 and slips["t4_15b"].ours == 23.4
    examples = (500, 1000, 2376, 2255)
    tables = [*printed("thunder_tok", "table4").values(), *printed("thunder_tok", "table11").values()]
    above = [row[5] - sum(n * score for n, score in zip(examples, row[1:5], strict=True)) / 6131 for row in tables]
    assert slips["t4_means"].ours == [round(min(above), 2), round(max(above), 2)] == [1.42, 1.59] and len(above) == 20
    assert slips["l_alpha"].ours == {"en": 0.567, "fr": 0.331, "ur": 0.102}
    assert slips["l_id_123456"].ours == [4513, 10961] and slips["l_id_cannot"].ours == [34360]
    assert slips["l_long_gpt4"].ours == 6 and slips["l_pairs_all"].ours == 14
    assert measured("papers_worked", "unigram/cats_without_tokens") == [["ca", "ts"], ["cat", "s"]]  # a tie is no slip
    assert slips["l_bert"].ours[5:] == ["un", "##lea", "##rna", "##ble"] and slips["l_can_not"].ours == ["c", "annot"]
    assert slips["b_sentencepiece"].ours == 30 and slips["s_utf8"].ours["\U00010100"] == "F0 90 84 80"
    assert slips["b_megabyte"].ours == 128**2 + 1024 * 8


def test_values_are_told_in_a_line() -> None:
    assert value_text([-2.5, -3.0, -2.0]) == "−2.5 (−3 – −2)" and is_interval([-2.5, -3.0, -2.0])
    assert value_text([1, 2, 3]) == "1, 2, 3" and value_text(["a", " b"]) == "a | ␣b"
    assert value_text([2, 4], "within") == "2 – 4" and value_text(["a", "b"], "order") == "a < b"
    assert value_text({"a": 1234}) == "a 1,234" and value_text({"a": {"b": 1}}) == "" and value_text(True) == "✓"


def test_templates_fill_pairs_of_lines() -> None:
    assert wrap(["a", "b", "c"], "copa") == ["a 그래서 b", "c"] and wrap(["{b}", "x"], "lambada") == ["{b}x"]
    assert set(TEMPLATES) == {"none", "hellaswag", "copa", "arc", "lambada"}


def test_the_note_is_not_old() -> None:
    note = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    assert note == document(), "run: python -m engine papers --markdown > docs/papers.md"
    assert all(f"| {claim.place} |" in note for claim in _CLAIMS)


def test_the_command_prints_every_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "--json", "--source", "slides", "entropy"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["source"] for row in rows} == {"slides", "entropy"}
    for source in ("slides", "entropy"):
        own = Counter(row["verdict"] for row in rows if row["source"] == source and row["verdict"])
        assert own == {name: n for name, n in counts(source).items() if name in own}
    assert main(["papers", "--source", "thunder_tok", "--size", "32000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t") == ["source", "place", "verdict", "printed", "ours", "says", "why"]
    assert {len(line.split("\t")) for line in lines[:-1]} == {7}
    with pytest.raises(SystemExit) as stopped:
        main(["papers", "--source", "nowhere"])
    assert stopped.value.code == 2 and "choose from" in capsys.readouterr().err


def test_live_views_are_pages_with_parameters_that_they_know() -> None:
    known = {*url_parameters(), "with", "shipped", "public", "models", "ready"}  # of app.parts.tokenizers.tokenizer_set
    for exhibit in _LIVE:
        assert exhibit.live["page"] in PAGES and live_address(exhibit)
        assert set(exhibit.live) - {"page"} <= known, exhibit.id


def test_a_live_view_has_the_size_of_the_claim_or_there_is_none() -> None:
    other = [one for size in CLAIM_SIZES if size != 32_000 for source in SOURCES for one in exhibits(source, size)]
    assert [one.id for one in other if one.is_sized and one.live] == [] and any(one.is_sized for one in _LIVE)
    assert {name for one in _LIVE if one.is_sized for name in one.live["model"].split(".")} <= {
        "shipped:thunder-tok-32k"
    }


def _lines(app) -> list[list[str]]:
    """The claims, one a line, verdict by verdict."""
    return [one.value.split("\n") for one in app.markdown if one.value.startswith("- **")]


@pytest.mark.parametrize("lang", ["en", pytest.param("ko", marks=pytest.mark.slow)])
def test_the_page_shows_a_source_and_its_verdicts(lang: str) -> None:
    app = open_page("papers", lang=lang, source="slides")
    numbers = [counts("slides")[verdict] for verdict in VERDICTS]
    assert [len(lines) for lines in _lines(app)] == numbers and sum(numbers) == len(_claims(sources=["slides"]))
    headings = [one.value for one in app.subheader]
    assert all(f"({number})" in heading for heading, number in zip(headings, numbers, strict=False))


def test_the_picture_counts_every_claim_once() -> None:
    app = open_page("papers", lang="en", source="slides")
    bars = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    shown = [
        sum(int(re.sub(r"\D", "", text) or 0) for text in texts)
        for texts in zip(*(bar["text"] for bar in bars), strict=True)
    ]
    assert shown == [len(_claims(sources=[source])) for source in SOURCES]


def test_an_exhibit_is_shown_in_full_on_demand() -> None:
    app = open_page("papers", lang="en", exhibit="table12")
    assert [table.value[""].tolist()[0] for table in app.dataframe[:2]] == ["Thunder-Tok, -, BE", "GPT2, n-grams, BE"]
    told = next(one.value for one in app.markdown if one.value.startswith("- :"))
    assert "Its mean is that of the GPT2 row" in told and "correct GPT2" in told


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_every_source_opens_at_every_size(source: str) -> None:
    for size in CLAIM_SIZES if source in ("thunder_tok", "beyond") else CLAIM_SIZES[:1]:
        app = open_page(
            "papers", lang="en", source=source, **{"own_tokens" if source == "beyond" else "tokens": str(size)}
        )
        assert not app.error and not app.warning
        shown = "\n".join(chain.from_iterable(_lines(app)))
        linked = [one for one in exhibits(source, size) if one.live and one.claims]
        assert all(f"]({live_address(one).partition('?')[0]}?" in shown for one in linked)


def test_the_korean_study_is_quoted_as_printed(shared_data: Path) -> None:
    """All seventeen tokenizers, and the figures that the study's text names."""
    table = korean_study()
    assert table.equals(pd.read_csv(shared_data / "tokenizers" / "kortok_study.csv"))
    assert set(QUALITIES) < set(table) and len(table) == 17
    best = table.set_index(["strategy", "vocabulary"]).loc[("Morpheme-aware Subword", "32K")]
    assert (best["mean_tokens"], best["bleu_ko_en_test"]) == (51.38, 40.34)
