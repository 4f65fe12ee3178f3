"""Tables of the Scores and Rounds pages, against the model itself and plain Python."""

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.parts.tables.rounds import (
    RoundSegmenter,
    example_in,
    life_examples,
    most_changed,
    neighbours,
    pieces_after,
    removed_in,
    rounds_table,
    sentence_rounds,
    token_life,
)
from app.parts.tables.tokens import (
    BYTE,
    LOW_SCORE,
    RARE,
    REMOVED,
    SURVIVING,
    Box,
    find_rows,
    frontier,
    in_box,
    parse_box,
    round_tokens,
    rows_containing,
    score_extents,
    shown_scores,
    token_catalogue,
    token_forms,
    visible,
    with_numbers,
)
from app.views.rounds.twin import AUTHORS_PROGRAM, BOTH, ONLY_FIRST, ONLY_SECOND, SCORE, compare, twin_settings
from app.views.scores.distributions import score_range
from engine.config import N_BYTES, SCORES, TrainingSettings
from engine.training import train as train_model
from engine.unigram.model.levels import is_punctuated_word, level_of
from engine.unigram.model.model import Model, token_label
from engine.unigram.train.trainer import build_corpus, train

_PAPER = {
    "seed_vocabulary": "linguistic",
    "context": "sentence",
    "membership": "inclusion",
    "partial_characters": False,
    "min_count": 2,
}
LINES = [
    "나무에 꽃이 피었다.",
    "나무에 새가 앉았다.",
    "새가 꽃을 보았다.",
    "꽃이 지고 나무에 열매가 열렸다.",
    "새가 열매를 먹었다.",
    "나무에 눈이 내렸다.",
    "눈이 내리고 새가 울었다.",
    "할 수 있는 일을 할 수 있다.",
    "할 수 있는 말을 했다!",
    "나무에 꽃이 피었다.",
    "the low lower lowest",
    "the new newer newest",
    "🍊 🍊 귤 두 개",
]
SETTINGS = TrainingSettings(vocab_size=275, shrink=0.2)


def _train(**changes: object) -> Model:
    settings = replace(SETTINGS, **changes)
    return train(build_corpus(LINES, settings), settings)


@pytest.fixture(scope="module")
def model() -> Model:
    return _train()


@pytest.fixture(scope="module")
def catalogue(model: Model) -> pd.DataFrame:
    return token_catalogue(model)


@pytest.mark.parametrize("partial_characters", [False, True])
def test_texts_are_segmented_as_the_whole_vocabulary_does(partial_characters: bool) -> None:
    model = _train(partial_characters=partial_characters)
    texts = [*LINES, "처음 보는 뷁 글자와 🍎", "", "   ", "ñ"]
    segmenter = RoundSegmenter(model, texts)
    for text in texts:
        for number in range(model.last_round + 1):
            rows, ends = segmenter.segment(text, number)
            expected_rows, expected_ends = model.segment(text, number)
            assert rows.tolist() == expected_rows.tolist()
            assert ends.tolist() == expected_ends.tolist()


@pytest.mark.parametrize("score", SCORES)
def test_a_round_says_who_went_and_why(score: str) -> None:
    model = _train(score=score)
    catalogue = token_catalogue(model)
    for report in model.rounds:
        table = round_tokens(model, report.number, catalogue)
        fates = table["fate"].value_counts()
        assert fates[BYTE] == N_BYTES
        assert fates[REMOVED] == report.n_removed
        assert fates[SURVIVING] == report.vocab_size - N_BYTES - report.n_removed
        assert table["score"].is_monotonic_decreasing
        assert table["rank"].max() == fates[SURVIVING] + fates[REMOVED]
        cut = frontier(model, report.number, table)
        kept = table.loc[table["fate"] == SURVIVING, "score"]
        if cut.score is not None:
            # What went for its score ranks below all that stayed.
            assert cut.score <= kept.min()
        if report.n_removed == 0:
            assert cut.score is cut.rare_p is None
        if cut.rare_p is not None:
            assert (table.loc[table["reason"] == RARE, "p"] < cut.rare_p).all()
        assert set(table["reason"]) <= {"", RARE, LOW_SCORE}


def test_scores_of_all_kinds_are_what_the_model_ranked_by() -> None:
    for score in SCORES:
        model = _train(score=score)
        table = model.round_table(1).sort_values("row")
        assert model.scores(1) == pytest.approx(table["score"].to_numpy())
        columns = round_tokens(model, 1, token_catalogue(model))
        assert columns[score].equals(columns["score"].rename(score)) and score in shown_scores(model)


def test_extents_hold_every_final_value_but_the_smallest(model: Model) -> None:
    last = model.history[-1]
    for name, values in (("p", last.sentence_prob), ("be", last.branching_entropy)):
        extent = score_extents(model)[name]
        assert 0 < extent.low <= extent.high
        assert extent.high >= values.max()


def test_a_life_ends_where_the_model_says(model: Model, catalogue: pd.DataFrame) -> None:
    for row in [0, *range(N_BYTES, len(model.tokens), 7)]:
        life = token_life(model, row)
        died = int(model.died_in_round[row])
        last = model.last_round if died < 0 else died
        assert life["alive"].tolist() == [number <= last for number in range(model.last_round + 1)]
        if row >= N_BYTES:
            # Below the cut is dead, above it alive: in the very round that removed it, and never before.
            for number in range(last + 1):
                line = life.iloc[number]
                assert (line["percentile"] < line["cut"]) == (died == number)
                assert 1 <= line["rank"] <= line["n_prunable"]
        if died >= 0:
            assert "|" in life.iloc[died + 1]["pieces"]


def test_dead_tokens_are_cut_losslessly(model: Model) -> None:
    rows = np.flatnonzero(model.died_in_round == 0)[:50].tolist()
    for row, pieces in zip(rows, pieces_after(model, rows, 1), strict=True):
        whole = "".join(part.partition("[")[0] for part in pieces.split(" | "))
        assert whole == visible(model.tokens[row].decode())


def test_a_character_without_a_token_shows_its_bytes(model: Model) -> None:
    chars, stretches = sentence_rounds(model, "뷁 나무에")
    assert chars[0] == "뷁"
    first = stretches[-1].pieces[:3]
    assert [piece.label for piece in first] == ["<0xEB>", "<0xB7>", "<0x81>"]
    assert all((piece.begin, piece.end, piece.is_hex) == (0, 1, True) for piece in first)


def test_stretches_tile_the_rounds_and_pieces_the_sentence(model: Model) -> None:
    for line in LINES:
        chars, stretches = sentence_rounds(model, line)
        assert [stretch.first for stretch in stretches[1:]] == [stretch.last + 1 for stretch in stretches[:-1]]
        assert (stretches[0].first, stretches[-1].last) == (0, model.last_round)
        for stretch in stretches:
            pieces = stretch.pieces
            assert (pieces[0].begin, pieces[-1].end) == (0, len(chars))
            whole = [piece for piece in pieces if not piece.is_hex]
            assert all(piece.label == line[piece.begin : piece.end] for piece in whole)
        assert not any(piece.is_new for piece in stretches[0].pieces)
        assert all(any(piece.is_new for piece in stretch.pieces) for stretch in stretches[1:])
        for number in model.kept_rounds:
            shown_ranges = neighbours(stretches, number)
            assert len(shown_ranges) == min(3, len(stretches))
            assert any(one.first <= number <= one.last for one in shown_ranges)
            assert not any(piece.is_new for piece in shown_ranges[0].pieces)
            assert shown_ranges[-1].last == model.last_round
            for above, below in itertools.pairwise(shown_ranges):
                spans = {(piece.row, piece.begin, piece.end) for piece in above.pieces}
                assert all(piece.is_new != ((piece.row, piece.begin, piece.end) in spans) for piece in below.pieces)
        row = example_in(model, stretches)
        died = {piece.row: int(model.died_in_round[piece.row]) for one in stretches for piece in one.pieces}
        assert max(died.values()) == (-1 if row is None else died[row])
    assert most_changed(model, LINES, 120) in LINES
    assert most_changed(model, [], 120) is None


def test_removed_tokens_in_every_order(model: Model, catalogue: pd.DataFrame) -> None:
    table = round_tokens(model, 1, catalogue)
    removed = table[table["fate"] == REMOVED]
    for order in ("close", "low", "long"):
        assert set(removed_in(table, order, len(table))["row"]) == set(removed["row"])
    assert removed_in(table, "low", 3)["score"].tolist() == sorted(removed["score"])[:3]
    assert removed_in(table, "spared", 1)["score"].item() == table.loc[table["fate"] == SURVIVING, "score"].min()
    assert removed_in(table, "long", 1)["n_chars"].item() == removed["n_chars"].max()


def test_tokens_are_found_as_they_are_written(model: Model, catalogue: pd.DataFrame) -> None:
    for typed in ("␣꽃이", " 꽃이"):
        assert model.tokens[find_rows(catalogue, typed)[0]] == " 꽃이".encode()
    assert find_rows(catalogue, "<0xEC>").tolist() == [0xEC]
    assert find_rows(catalogue, "").size == find_rows(catalogue, "없는 토큰").size == 0
    assert all("꽃" in catalogue["token"].iloc[row] for row in rows_containing(catalogue, "꽃", 5))
    assert set(life_examples(model, catalogue, 8)) <= set(catalogue["token"])


def test_examples_occur_in_the_text_that_the_page_has(model: Model, catalogue: pd.DataFrame) -> None:
    usual = life_examples(model, catalogue, 8)
    text = f"{usual[1]} {usual[-1]}\n{usual[-1]} {usual[1]}\n{usual[0]}".replace("␣", " ")
    found = life_examples(model, catalogue, 8, text)
    assert usual[1] in found and usual[-1] in found and usual[0] not in found
    assert all(text.count(token.replace("␣", " ")) > 1 for token in found)
    assert life_examples(model, catalogue, 8, "") == []


def test_boxes_survive_the_url(model: Model, catalogue: pd.DataFrame) -> None:
    box = parse_box(str(Box(-3.0, -1.25, 0.5, 2.0)))
    assert box == Box(-3.0, -1.25, 0.5, 2.0)
    for text in ("", "1_2_3", "a_b_c_d", "2_1_0_1", "nan_1_0_1", "0_1_0_inf"):
        assert parse_box(text) is None
    inside = in_box(round_tokens(model, 0, catalogue), box)
    assert inside["be"].between(0.5, 2.0).all()


def test_fertility_counts_expected_tokens_per_word(model: Model) -> None:
    table = rounds_table(model)
    words = sum(len(line.split()) for line in LINES)
    assert table["fertility"].to_numpy() == pytest.approx(table["n_tokens"].to_numpy() / words)
    assert table["threshold"].isna().tolist() == [*([False] * model.last_round), True]


def test_the_file_of_a_round_has_ids_log_probabilities_and_plain_texts(model: Model, catalogue: pd.DataFrame) -> None:
    for number in (0, model.last_round):
        table = round_tokens(model, number, catalogue).iloc[::-3]
        made = with_numbers(model, number, table)
        expected = {row.row: row for row in model.round_table(number).itertuples()}
        for one in made.itertuples():
            known = expected[one.row]
            assert (one.plain, one.log_prob_nats) == (known.token, known.log_prob)
            assert one.token == visible(known.token)
            assert (one.id if one.id is not pd.NA else -1) == known.id
            assert one.frequency == pytest.approx(known.p * model.corpus_units)


def test_ranges_and_examples_come_from_the_round(model: Model, catalogue: pd.DataFrame) -> None:
    table = round_tokens(model, model.last_round, catalogue)
    for column in ("p", "be", "be_p"):
        found = score_range(table, column)
        assert found is not None
        assert found.low <= found.median <= found.high
        assert found.highest
        assert all(re.search(r"[^\W\d_]{2}", token) for token in [*found.highest, *found.lowest])
    assert score_range(table.head(0), "p") is None


def test_twins_share_their_seed_and_differ_in_what_they_keep(model: Model, catalogue: pd.DataFrame) -> None:
    settings = twin_settings(model.settings, SCORE)
    assert settings.score == "ml"
    assert twin_settings(settings, SCORE) == model.settings
    authors = twin_settings(model.settings, AUTHORS_PROGRAM)
    assert authors.seed_vocabulary == "authors" and authors.vocab_size == model.settings.vocab_size
    assert twin_settings(authors, AUTHORS_PROGRAM) == replace(authors, **_PAPER)
    assert twin_settings(authors, SCORE) == replace(authors, **_PAPER, score="ml")
    for chosen in (settings, authors):
        twin = train_model(LINES, chosen).pruning
        found = compare((model, twin), (catalogue, token_catalogue(twin)))
        mine, its = (
            {each.tokens[row] for row in np.flatnonzero(each.died_in_round < 0).tolist()} for each in (model, twin)
        )
        assert (found.n_both, found.n_first, found.n_second) == (len(mine & its), len(mine - its), len(its - mine))
        kept = {who: set(part["token"]) for who, part in found.tokens.groupby("kept_by")}
        for who, tokens in ((BOTH, mine & its), (ONLY_FIRST, mine - its), (ONLY_SECOND, its - mine)):
            assert kept.get(who, set()) == {visible(token_label(token)) for token in tokens}
        candidates = found.tokens["died_second"].notna()
        assert candidates.all() == (chosen is settings)


def naive_places(text: str, token: str, log_prob: dict[bytes, float]) -> list[float]:
    """For each place of a token in a pre-token the share of segmentations, by probability, that use it there."""

    def ways(at: int) -> Iterator[tuple[float, tuple[tuple[int, int], ...]]]:
        if at == len(text):
            yield 0.0, ()
            return
        for end in range(at + 1, len(text) + 1):
            piece = text[at:end].encode()
            if piece in log_prob:
                own = log_prob[piece]
            elif end == at + 1:
                own = sum(log_prob[bytes([byte])] for byte in piece)
            else:
                continue
            for rest, spans in ways(end):
                yield own + rest, ((at, end), *spans)

    every = [(math.exp(log_p), spans) for log_p, spans in ways(0)]
    total = sum(p for p, _ in every)
    places = [(at, at + len(token)) for at in range(len(text)) if text.startswith(token, at)]
    return [sum(p for p, spans in every if place in spans) / total for place in places]


_TOKENS = st.binary(min_size=1, max_size=6) | st.text("가 a.\n\t\0\u200b\ufe0f\u3000!", min_size=1).map(str.encode)


@given(st.lists(_TOKENS))
def test_forms_of_all_tokens_are_those_of_each(tokens: list[bytes]) -> None:
    forms = token_forms(tokens)
    assert forms["token"].tolist() == [visible(token_label(token)) for token in tokens]
    assert forms["level"].tolist() == [level_of(token) for token in tokens]
    assert forms["punctuated"].tolist() == [is_punctuated_word(token) for token in tokens]
    assert forms["n_chars"].tolist() == [len(token.decode(errors="ignore")) for token in tokens]
    assert forms["n_bytes"].tolist() == [len(token) for token in tokens]
