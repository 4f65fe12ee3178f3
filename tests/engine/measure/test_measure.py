"""Measures of one text: golden values, an independent second computation, properties, the command."""

import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.texts.catalogue import catalogue
from engine.cli import main
from engine.errors import InputError
from engine.measure import distribution, intrinsic
from engine.measure.distribution import (
    distribution_measures,
    naive_bits,
    percentile_frequency,
    renyi_efficiency,
    renyi_entropy,
    shannon_entropy,
)
from engine.measure.encoded import encode_lines
from engine.measure.result import bootstrap_ratio
from engine.measure.words import definition_of, find_words, graphemes, word_spans
from engine.tokenizer import Encoding, Tokenizer
from tests.engine.unigram.test_trainer import sentences, trained


class Cutter(Tokenizer):
    """A tokenizer that knows texts longest first, and single bytes; nothing of the engine is in it."""

    name = "Cutter"

    def __init__(self, *texts: str) -> None:
        self.tokens = [bytes([value]) for value in range(256)] + [text.encode() for text in texts]
        self.by_length = sorted(range(len(self.tokens)), key=lambda i: -len(self.tokens[i]))

    @property
    def vocab_size(self) -> int:
        return len(self.tokens)

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        data, at, encoding = text.encode(), 0, Encoding([], [])
        while at < len(data):
            number = next(i for i in self.by_length if data.startswith(self.tokens[i], at))
            encoding.ids.append(number)
            encoding.spans.append((at, at + len(self.tokens[number])))
            at = encoding.spans[-1][1]
        return encoding

    def decode(self, ids) -> str:
        return b"".join(self.tokens[i] for i in ids).decode(errors="backslashreplace")

    def token_label(self, token_id: int) -> str:
        return self.decode([token_id])

    def token_bytes(self, token_id: int) -> bytes:
        return self.tokens[token_id]


@pytest.fixture(scope="module")
def model():
    return trained(sentences(120), vocab_size=300)


def measured(tokenizer, lines, definition="eojeol"):
    encoded = encode_lines(tokenizer, lines)
    return encoded, find_words(encoded.seen, definition)


# Check values of tokenization-scorer (Zouhar et al. 2023) at alpha 2.5 and 3.
@pytest.mark.parametrize(
    ("text", "at_2_5", "at_3"),
    [
        ("pick @@ed pick @@l @@ed pick @@les", 0.82651, 0.80315),
        ("pick @@e @@d pick @@l @@e @@d pick @@l @@e @@s", 0.92048, 0.91057),
    ],
)
def test_renyi_efficiency_is_that_of_its_paper(text, at_2_5, at_3) -> None:
    counts = np.array(list(Counter(text.split()).values()))
    assert renyi_efficiency(counts) == pytest.approx(at_2_5, abs=5e-6)
    assert renyi_efficiency(counts, alpha=3) == pytest.approx(at_3, abs=5e-6)


def test_entropies_by_hand() -> None:
    assert shannon_entropy(np.array([2, 1, 1, 0])) == 1.5
    assert renyi_entropy(np.array([2, 1, 1]), alpha=2) == pytest.approx(-math.log2(3 / 8))
    assert renyi_entropy(np.array([2, 1, 1]), alpha=1) == 1.5
    assert naive_bits(np.array([2, 1, 1, 0])) == pytest.approx(4 * math.log2(3))
    # 10 types: ranks int(0.3) = 0 to int(8.3) = 8, half-open.
    assert percentile_frequency(np.arange(10, 0, -1)) == pytest.approx(sum(range(3, 11)) / 55)
    assert shannon_entropy(np.array([5])) == 0 and math.isnan(shannon_entropy(np.zeros(3)))
    assert math.isnan(renyi_efficiency(np.array([5])))


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=30))
def test_renyi_entropy_falls_with_its_order(counts) -> None:
    counts = np.array(counts)
    values = [renyi_entropy(counts, alpha) for alpha in (0.5, 1, 2, 2.5, 3)]
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(values))
    assert -1e-9 <= renyi_efficiency(counts) <= 1 + 1e-9


def test_a_small_text_by_hand() -> None:
    # Tokens: 할 수 있|다|고 and 말했다| 그
    cutter = Cutter("할 수 있", "말했다", " 그", "다", "고")
    encoded, words = measured(cutter, ["할 수 있다고", "말했다 그"])
    assert encoded.n_tokens == 5 and words.begin.size == 5
    assert intrinsic.fertility(encoded, words).value == 1.0
    assert intrinsic.continued_words(encoded, words).value == pytest.approx(1 / 5)  # 있다고
    assert intrinsic.single_token_words(encoded, words).value == pytest.approx(2 / 5)  # 말했다, 그
    assert intrinsic.multi_word_tokens(encoded, words).value == pytest.approx(1 / 5)
    assert intrinsic.byte_fallback_rate(encoded).value == 0
    assert intrinsic.multi_word_vocabulary(cutter).value == pytest.approx(1 / 261)
    assert intrinsic.units_per_token(encoded, "characters").value == pytest.approx(12 / 5)
    assert intrinsic.units_per_token(encoded, "bytes").value == pytest.approx((9 * 3 + 3) / 5)


# The Thunder-Tok paper's Table 2: tokens and, over 8 eojeols, fertility.
@pytest.mark.parametrize(
    ("segmented", "n_tokens", "expected"),
    [
        ("고구|마는| 다양한| 사이드| 디|쉬|로| 활용할| 수| 있는| 음식|입니다|.", 13, 1.625),
        ("고구마|는| 다양한| 사이드| |디쉬|로| 활용|할| 수| 있는| 음식|입니다|.", 14, 1.75),
        ("고구마|는| 다양|한| 사이드| 디쉬|로| 활용|할| 수| 있|는| 음식|입니다|.", 15, 1.875),
        ("고구마|는| 다양한| 사이드| |디쉬|로| 활용할 수 있는| 음식|입니다.", 10, 1.25),
    ],
)
def test_fertility_of_the_papers_sentence(segmented, n_tokens, expected) -> None:
    encoded, words = measured(Cutter(*segmented.split("|")), [segmented.replace("|", "")])
    assert (encoded.n_tokens, words.begin.size) == (n_tokens, 8)
    assert intrinsic.fertility(encoded, words).value == expected
    if n_tokens == 10:  # 활용할 수 있는 is one token
        assert intrinsic.multi_word_tokens(encoded, words).value == 1 / 10
        assert intrinsic.continued_words(encoded, words).value == 3 / 8


def test_every_number_carries_its_n_and_definition(model) -> None:
    encoded, words = measured(model, sentences(20))
    measures = [
        intrinsic.fertility(encoded, words),
        intrinsic.continued_words(encoded, words),
        intrinsic.single_token_words(encoded, words),
        intrinsic.multi_word_tokens(encoded, words),
        intrinsic.byte_fallback_rate(encoded),
        *(intrinsic.units_per_token(encoded, unit) for unit in ("characters", "graphemes", "bytes")),
        distribution.viterbi_bits_per_byte(model, sentences(20)),
        distribution.marginal_bits_per_byte(model, sentences(20)),
    ]
    for measure in measures:
        assert measure.n > 0 and measure.n_of and catalogue()[f"fertility.define.{measure.name}"]
        assert measure.interval.low <= measure.value <= measure.interval.high, measure.name
    rest = [*distribution_measures(encoded), distribution.empirical_bits_per_byte(encoded)]
    assert all(m.n > 0 and catalogue()[f"fertility.define.{m.name}"] and m.value > 0 for m in rest)


def test_fertility_again_without_arrays(model) -> None:
    """The second computation: strings and lists only, from the tokens' texts."""
    lines = [*sentences(60), "", "  두  칸 ", "쀍 \U0001f600 a"]
    encoded, words = measured(model, lines)
    n_tokens = n_words = n_continued = n_multi = 0
    for line in lines:
        pieces = [model.token_bytes(i) for i in model.encode(line).ids]
        assert b"".join(pieces) == line.encode()
        n_tokens += len(pieces)
        n_words += len(line.split())
        marked = b"\0".join(pieces)  # a boundary is a NUL now
        n_continued += sum(b"\0" in part.strip(b"\0") for part in marked.split(b" "))
        n_multi += sum(len(piece.split()) >= 2 for piece in pieces)
    fertility = intrinsic.fertility(encoded, words)
    assert (encoded.n_tokens, words.begin.size) == (n_tokens, n_words)
    assert fertility.value == n_tokens / n_words and fertility.n == n_words
    assert intrinsic.continued_words(encoded, words).value == n_continued / n_words
    assert intrinsic.multi_word_tokens(encoded, words).value == n_multi / n_tokens


TEXT = st.text(alphabet="가나 다a\t\U0001f468\u200d\u0301쀍\r", max_size=20)


@given(st.lists(TEXT, max_size=6), st.sampled_from(["eojeol", "characters", "graphemes"]))
def test_measures_hold_together(lines, definition) -> None:
    encoded, words = measured(Cutter("가나", "나 다", " 다", "가"), lines, definition)
    data = "".join(lines).encode()
    texts = [data[a:b].decode() for a, b in zip(words.begin, words.end, strict=True)]
    assert texts == [line[a:b] for line in lines for a, b in word_spans(line, definition)]
    assert words.per_line.sum() == len(texts) and encoded.per_line.sum() == encoded.n_tokens
    continued = intrinsic.continued_words(encoded, words).value
    single = intrinsic.single_token_words(encoded, words).value
    if texts:
        assert 0 <= single <= 1 - continued + 1e-12
    else:
        assert math.isnan(continued) and math.isnan(single)
        assert math.isnan(intrinsic.fertility(encoded, words).value)
    assert intrinsic.round_trip(encoded).value == 1 or not lines


def test_what_a_tokenizer_drops_does_not_move_the_tokens_of_later_lines() -> None:
    class Dropping(Cutter):
        def encode(self, text: str, allow_special: bool = False) -> Encoding:
            return Encoding([], []) if text.isspace() else super().encode(text)

    lines = ["가나", "   ", "다라", "", " \t", "다라 가나"]
    encoded, words = measured(Dropping("가나", "다라"), lines, "eojeol")
    assert encoded.begin.tolist() == [0, 9, 17, 23, 24]
    assert encoded.end.tolist() == [6, 15, 23, 24, 30]
    assert intrinsic.continued_words(encoded, words).value == intrinsic.multi_word_tokens(encoded, words).value == 0


def test_partial_characters_are_fallback() -> None:
    encoded = encode_lines(Cutter("가"), ["가나a"])
    assert intrinsic.byte_fallback_rate(encoded).value == pytest.approx(3 / 5)


def test_bits_per_byte_of_the_model(model) -> None:
    lines = sentences(15, seed=3)
    best, total = distribution.viterbi_bits_per_byte(model, lines), distribution.marginal_bits_per_byte(model, lines)
    assert 0 < total.value <= best.value
    # Again from the ids: the log probabilities of the tokens that encode() chose.
    table = model.round_table()
    log_prob = dict(zip(table["id"], table["log_prob"], strict=True))
    nats = -sum(log_prob[i] for line in lines for i in model.encode(line).ids)
    assert best.value == pytest.approx(nats / math.log(2) / sum(len(line.encode()) for line in lines))


def test_a_normalising_tokenizer_is_measured_on_what_it_sees() -> None:
    model = trained(sentences(60), vocab_size=300, normalization="nfd")
    encoded, words = measured(model, ["그 말은 틀렸어"])
    assert words.begin.size == 3 and encoded.end[-1] == len(encoded.seen[0].encode()) > len("그 말은 틀렸어".encode())
    assert intrinsic.units_per_token(encoded, "characters").value == pytest.approx(8 / encoded.n_tokens)
    assert intrinsic.round_trip(encoded).value == 0


def test_the_interval_does_not_depend_on_anything_but_its_seed() -> None:
    top, bottom = np.arange(1, 41), np.full(40, 7)
    assert bootstrap_ratio(top, bottom, seed=1) == bootstrap_ratio(top, bottom, seed=1)
    assert bootstrap_ratio(top, bottom, seed=1) != bootstrap_ratio(top, bottom, seed=2)
    # Close to the normal interval of the mean.
    low, high = bootstrap_ratio(top, bottom, resamples=4000)
    half = 1.96 * top.std() / math.sqrt(40) / 7
    assert low == pytest.approx(top.mean() / 7 - half, rel=0.05) and high == pytest.approx(
        top.mean() / 7 + half, rel=0.05
    )
    assert bootstrap_ratio(top[:1], bottom[:1]) is None


def test_graphemes_and_scripts() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert graphemes(f"각{family}") == ["각", family]
    assert definition_of(["我们去学校。"]) == definition_of(["ฉันไปโรงเรียน"]) == "characters"
    assert definition_of(["학교에 갔다."]) == definition_of([]) == "eojeol"
    with pytest.raises(InputError, match="unknown definition"):
        find_words(["a"], "morphemes")


def test_the_command_prints_models_by_files(model, tmp_path, capsys) -> None:
    path = tmp_path / "m.tok"
    model.save(path)
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    files[0].write_text("\n".join(sentences(10)), encoding="utf-8")
    files[1].write_text("", encoding="utf-8")
    command = ["fertility", "--model", str(path), "--text", *map(str, files)]
    assert main([*command, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["file"] for row in rows] == [str(file) for file in files]
    assert list(rows[0])[:7] == ["model", "file", "algorithm", "vocab_size", "lines", "words", "tokens"]
    assert rows[0]["fertility"] == rows[0]["tokens"] / rows[0]["words"] and "eojeol" in rows[0]["word_definition"]
    assert rows[1]["words"] == 0 and rows[1]["fertility"] is None
    assert main([*command, "--words", "characters"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert len(table) == 5 and table[3].startswith("# word: character")
    assert len({line.count("\t") for line in table[:3]}) == 1
    assert main(["fertility", "--model", str(path), "--text", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
