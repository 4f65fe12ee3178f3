"""Keyness and dispersion against scipy, plain loops, and examples worked by hand."""

import json
import math
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.cli import main
from engine.corpus.files import CorpusFiles
from engine.errors import InputError
from engine.measure.best import holm
from engine.measure.corpus_units import CorpusUnits, corpus_units, token_units, word_units
from engine.measure.dispersion import dispersion, stretches
from engine.measure.keyness import key_rows, keyness, not_the_same
from engine.shipped.catalogue import load_shipped


def _counts(seed: int, n: int = 300) -> np.ndarray:
    random_ = np.random.default_rng(seed)
    return random_.poisson(random_.pareto(1.0, n) * 3)


def test_g2_and_its_p_are_those_of_scipy() -> None:
    from scipy.stats import power_divergence  # a second to import, which every process would wait for

    count, against = _counts(1), _counts(2)
    n, n_against = count.sum(), against.sum()
    found = keyness(count, against, min_count=5)
    for i, (a, b) in enumerate(zip(count.tolist(), against.tolist(), strict=True)):
        if a + b < 5:
            assert math.isnan(found.g2[i]) and math.isnan(found.p_holm[i])
            continue
        expected = [n * (a + b) / (n + n_against), n_against * (a + b) / (n + n_against)]
        g2, p = power_divergence([a, b], expected, lambda_="log-likelihood")
        assert found.g2[i] == pytest.approx(g2, abs=1e-9) and found.p[i] == pytest.approx(p, rel=1e-9)
        assert found.direction[i] == np.sign(a * n_against - b * n)
    known = ~np.isnan(found.g2)
    assert found.p_holm[known].tolist() == holm(found.p[known].tolist())
    assert [found.g2[i] for i in found.ranked()] == sorted(found.g2[known], reverse=True)


def test_the_interval_of_the_log_ratio_is_that_of_a_relative_risk() -> None:
    from scipy.stats.contingency import relative_risk

    count, against = _counts(3, 100) + 1, _counts(4, 100) + 1
    found = keyness(count, against, min_count=1)
    for i in range(count.size):
        risk = relative_risk(int(count[i]), int(count.sum()), int(against[i]), int(against.sum()))
        interval = risk.confidence_interval(0.95)
        expected = [math.log2(value) for value in (risk.relative_risk, interval.low, interval.high)]
        assert [found.log_ratio[i], found.low[i], found.high[i]] == pytest.approx(expected, abs=1e-9)
        assert found.percent_diff[i] == pytest.approx(100 * (risk.relative_risk - 1))


def test_a_table_worked_by_hand() -> None:
    # 30 of 100 against 10 of 100: E = 20 each, G2 = 2 (30 ln 1.5 + 10 ln 0.5) = 10.47; three times as frequent.
    found = keyness(np.array([30, 70, 0]), np.array([10, 85, 5]))
    assert found.g2[0] == pytest.approx(2 * (30 * math.log(1.5) + 10 * math.log(0.5)))
    assert (found.log_ratio[0], found.percent_diff[0]) == (pytest.approx(math.log2(3)), pytest.approx(200))
    # Absent in the first: a count of one half, and no share of nothing.
    assert found.log_ratio[2] == pytest.approx(math.log2(0.5 / 5)) and found.percent_diff[2] == pytest.approx(-100)
    assert math.isnan(keyness(np.array([5, 5]), np.array([0, 9])).percent_diff[0])
    with pytest.raises(InputError, match="empty"):
        keyness(np.array([0, 0]), np.array([1, 2]))


@pytest.mark.parametrize(("count", "against"), [([1, 0, 0], [3, 7, 990]), ([3, 7, 990], [1, 0, 0])])
def test_a_short_text_has_no_log_ratio_against_its_direction(count: list[int], against: list[int]) -> None:
    found = keyness(np.array(count), np.array(against), min_count=1)
    assert found.direction.tolist() == np.sign(np.array(count) / sum(count) - np.array(against) / sum(against)).tolist()
    assert np.all(found.log_ratio * found.direction >= 0) and not np.isnan(found.log_ratio).any()


def test_dispersion_of_the_published_example() -> None:
    # Gries (2008), "Dispersions and adjusted frequencies in corpora", table 2: the letter a in five parts.
    parts = ("bamnibeupa", "basatbewqn", "bcagabesta", "baghabeaat", "bahaabeaxat")
    sizes = np.array([9, 10, 10, 10, 11])
    counts = np.array([[1, 2, 3, 4, 5], [part.count("x") for part in parts]])
    found = dispersion(counts, sizes)
    assert found.dp[0] == pytest.approx(0.18) and found.juilland_d[0] == pytest.approx(0.785, abs=5e-4)
    assert found.dp_norm[0] == pytest.approx(0.18 / 0.82) and found.range.tolist() == [5, 1]
    assert found.dp[1] == pytest.approx(1 - 11 / 50) and found.juilland_d[1] == pytest.approx(0)


def test_dispersion_is_that_of_a_loop() -> None:
    random_ = np.random.default_rng(5)
    counts, sizes = random_.poisson(0.7, (40, 9)), random_.integers(5, 60, 9)
    sizes[3] = 0
    counts[:, 3] = 0
    found = dispersion(counts, sizes)
    assert found.n_parts == 8
    for i, own in enumerate(counts.tolist()):
        if not sum(own):
            assert math.isnan(found.dp[i])
            continue
        pairs = [(v, s) for v, s in zip(own, sizes.tolist(), strict=True) if s]
        dp = sum(abs(v / sum(own) - s / sizes.sum()) for v, s in pairs) / 2
        rates = [v / s for v, s in pairs]
        mean = sum(rates) / 8
        deviation = math.sqrt(sum((rate - mean) ** 2 for rate in rates) / 8)
        assert found.dp[i] == pytest.approx(dp)
        assert found.juilland_d[i] == pytest.approx(1 - deviation / mean / math.sqrt(7))
        assert found.range[i] == sum(v > 0 for v, _ in pairs)


def _corpus() -> tuple[list[str], CorpusFiles, CorpusUnits]:
    random_ = random.Random(0)
    sizes = {"a.txt": 30, "b.txt": 0, "c.txt": 45, "d.txt": 1}
    lines = [
        " ".join(random_.choice(["가", "나", "다", "라", "마"]) for _ in range(random_.randrange(9))) for _ in range(76)
    ]
    files = CorpusFiles.of(sizes)
    return lines, files, corpus_units(files, [word_units(files.lines_of((i,), lines)) for i in range(4)])


def test_units_are_counted_by_file_and_part_as_a_loop_does() -> None:
    lines, files, units = _corpus()
    types = units.units.types
    assert types is not None
    for chosen in ((0,), (0, 2, 3), (1, 3)):
        words = [word for line in files.lines_of(chosen, lines) for word in line.split()]
        assert units.counts(chosen).tolist() == [words.count(one) for one in types]
    wanted = np.array([3, 0])
    counts, sizes = units.parted((0, 2), wanted, n_parts=7)
    own = [line.split() for line in files.lines_of((0, 2), lines)]
    part = stretches(np.array([len(words) for words in own]), 7)
    for p in range(7):
        inside = [word for words, k in zip(own, part.tolist(), strict=True) if k == p for word in words]
        assert sizes[p] == len(inside)
        assert counts[:, p].tolist() == [inside.count(types[3]), inside.count(types[0])]
    assert abs(sizes - sizes.mean()).max() <= 9
    # Enough files are parts themselves.
    counts, sizes = units.parted((0, 1, 2), wanted, n_parts=3)
    assert sizes.tolist() == [units.counts((i,)).sum() for i in (0, 1, 2)]
    assert counts.tolist() == [[int(units.counts((i,))[k]) for i in (0, 1, 2)] for k in (3, 0)]


def test_rows_say_where_a_type_is_spread() -> None:
    _, _, units = _corpus()
    found = keyness(units.counts((0,)), units.counts((2,)))
    rows = key_rows(units, found, ((0,), (2,)), found.ranked()[:3], n_parts=4)
    assert all(one["g2"] >= other["g2"] for one, other in pairwise(rows))
    for row in rows:
        chosen = (2,) if row["direction"] == "-" else (0,)
        counts, sizes = units.parted(chosen, np.array([row["type"]]), 4)
        assert row["dp"] == pytest.approx(dispersion(counts, sizes).dp[0]) and row["n_parts"] == 4
    for first, second, code in (((0, 2), (2,), "keyness.shared"), ((1,), (1,), "keyness.shared")):
        with pytest.raises(InputError) as caught:
            not_the_same(units, first, second)
        assert caught.value.code == code
    with pytest.raises(InputError, match="same text"):
        not_the_same(corpus_units(CorpusFiles.of({"a": 1, "b": 1}), [word_units(["x"])] * 2), (0,), (1,))


def _files(folder: Path) -> list[str]:
    texts = {
        "novel_1998.txt": "그는 길을 걸었다.\n그녀는 울었다.\n" * 9,
        "news_1998.txt": "정부는 대책을 발표했다.\n시장은 내렸다.\n" * 9,
        "news_2004.txt": "정부는 예산을 발표했다.\n" * 9,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in texts]


@pytest.mark.slow
def test_the_command_compares_files_and_sub_corpora(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    novel, *news = _files(tmp_path)
    model = ["--model", "shipped:thunder-tok-8k"]

    def rows(*arguments: str) -> list[dict[str, object]]:
        assert main(["keyness", *arguments, "--json"]) == 0
        found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
        return found

    found = rows(novel, "--against", *news, *model)
    assert found == rows(novel, *news, "--where", "register=novel", *model)
    assert found == rows(*news, novel, "--where", "register=novel", "--against-where", "register=news", *model)
    tokenizer = load_shipped("thunder-tok-8k")
    ids = [tokenizer.encode(line).ids for line in Path(novel).read_text(encoding="utf-8").splitlines()]
    for row in found:
        assert row["count"] == sum(own.tolist().count(row["id"]) for own in map(np.asarray, ids))
        assert row["token"] == tokenizer.token_label(row["id"])  # type: ignore[arg-type]
    assert {row["class"] for row in found} <= {"morpheme", "stem_ending", "several", "cut", "across", None}
    words = rows(novel, "--against", *news, "--unit", "words", "--min-count", "9")
    assert {row["word"] for row in words if row["direction"] == "+"} == {"그는", "길을", "걸었다.", "그녀는", "울었다."}
    (tmp_path / "meta.csv").write_text("file,mood\nnovel_1998.txt,sad\nnews_1998.txt,dry\n", encoding="utf-8")
    by_mood = [novel, *news, "--meta", str(tmp_path / "meta.csv"), "--where", "mood=sad", "--against-where", "mood=dry"]
    assert rows(*by_mood, *model) == rows(novel, "--against", news[0], *model)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{novel}", "--against", "{novel}"], "two files are called"),
        (["{novel}", "--against", "{copy}"], "the same text"),
        (["{novel}", "--against", "{empty}"], "empty"),
        (["{novel}", "{copy}", "--where", "register=poem"], "no file has register=poem"),
        (["{novel}", "{copy}"], "nothing remains"),
        (["{novel}", "--against", "{copy}", "--unit", "tokens", "--model="], "cannot read"),
    ],
)
def test_the_command_says_what_is_wrong(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    novel, *_ = _files(tmp_path)
    names = {"novel": novel, "copy": str(tmp_path / "copy.txt"), "empty": str(tmp_path / "none.txt")}
    Path(names["copy"]).write_bytes(Path(novel).read_bytes())
    Path(names["empty"]).write_text("\n\n")
    unit = [] if "--unit" in arguments else ["--unit", "words"]
    assert main(["keyness", *(one.format(**names) for one in arguments), *unit]) == 2
    assert said in capsys.readouterr().err


def test_units_of_tokens_are_those_of_the_tokenizer() -> None:
    tokenizer = load_shipped("thunder-tok-8k")
    lines = ["나무에 꽃이 피었다.", "", "꽃"]
    units = corpus_units(
        CorpusFiles.of({"a": 2, "b": 1}),
        [token_units(tokenizer, lines[:2]), token_units(tokenizer, lines[2:])],
        tokenizer.vocab_size,
    )
    assert units.counts((0, 1)).sum() == sum(len(tokenizer.encode(line).ids) for line in lines)
    assert np.flatnonzero(units.counts((1,))).tolist() == sorted(set(np.asarray(tokenizer.encode("꽃").ids).tolist()))
