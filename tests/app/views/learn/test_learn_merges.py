"""What the Learn pages show of BPE and WordPiece: the lessons' numbers in frames and tables, and reading words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.parts.tables.learn.merge_frames import merge_frames, replay_frames, replay_words
from app.parts.tables.learn.merges import (
    MARKS,
    SOURCES,
    expected_table,
    gain,
    merge_table,
    orders_table,
    read_picks,
    run_with_picks,
    with_pick,
    write_picks,
)
from app.parts.toy_words import presets
from app.toys.corpus import count_words, shorten
from app.toys.merges import PairScore, ToyStep, merge_steps, replay
from app.views.learn_bpe.longest_match import match_frames
from engine.errors import InputError
from engine.merge_settings import MergeSettings


def _settings(mark: str, **more: str) -> MergeSettings:
    _, end_of_word, place = MARKS["bpe"][mark]
    return MergeSettings(algorithm="bpe", end_of_word=end_of_word, mark_place=place, **more)


def _steps(name: str, mark: str = "", picks: dict | None = None, **more: str) -> list[ToyStep]:
    return merge_steps(count_words(presets()[name]), _settings(mark or SOURCES[name].mark, **more), 60, picks)


def _made(steps: list[ToyStep]) -> list[str]:
    return [step.token for step in steps if step.chosen]


@pytest.mark.parametrize("name", ["low_slides", "low_textbook", "hug"])
def test_the_source_and_the_page_agree(name: str) -> None:
    table = expected_table(SOURCES[name].merges, _steps(name))
    assert table["same"].all()
    counts = {"low_slides": [9, 9, 8, 8, 7, 7, 6, 5], "low_textbook": [9, 9, 7], "hug": [20, 16, 15]}
    assert table["count"].tolist() == counts[name]


def test_where_the_source_and_the_page_differ() -> None:
    # The lesson's third merge is one of three that tie, and its list of pairs lacks (e, w).
    steps = _steps("low_lesson")
    assert expected_table(SOURCES["low_lesson"].merges, steps)["same"].tolist() == [True, True, False]
    assert next(row.frequency for row in steps[0].pairs if row.pair == ("e", "w")) == 3
    index = steps[2].ties.index(("e", "r"))
    assert expected_table(SOURCES["low_lesson"].merges, _steps("low_lesson", picks={2: index}))["same"].all()
    # The token est that it speaks of comes about by hand alone.
    assert "est" not in _made(steps)
    es = steps[8].ties.index(("e", "s"))
    following = _steps("low_lesson", picks={8: es})[9]
    assert "est" in _made(_steps("low_lesson", picks={8: es, 9: following.ties.index(("es", "t"))}))
    # The slides need the pair that is met first; the textbook needs words without a mark.
    assert not expected_table(SOURCES["low_slides"].merges, _steps("low_slides", ties="lexicographic"))["same"].all()
    assert _made(_steps("low_textbook", "separate"))[:3] == ["es", "est", "est</w>"]


def test_a_frame_says_what_was_done_and_what_is_next() -> None:
    steps = _steps("low_slides")
    frames = merge_frames(steps, _settings("symbol"), (), "ko")
    assert len(frames) == len(steps)
    assert frames[0]["note"].endswith(
        "동점입니다. 말뭉치에서 먼저 나온 ‘e + r’을 다음에 합칩니다. 표에서 다른 쌍을 골라 보세요."
    )
    words, pairs, vocabulary = frames[0]["blocks"]
    assert [token["text"] for token in words["rows"][2]["tokens"]] == list("newer_")
    assert [token["mark"] for token in words["rows"][2]["tokens"]] == [None, None, None, "chosen", "chosen", None]
    assert pairs["rows"][0] == ["e\u00a0+\u00a0r", 9, "er"]
    assert pairs["picks"][:3] == [None, "1", None]
    assert pairs["marks"] == [{"row": 0, "column": None, "mark": "chosen"}, {"row": 1, "column": None, "mark": "tie"}]
    assert "어휘: 토큰 11개" in vocabulary["caption"]
    assert "78개에서 70개로" in frames[3]["note"]
    assert frames[-1]["note"].endswith("학습이 끝났으며, 어휘의 토큰은 27개입니다.")
    cut = merge_frames(steps[:3], _settings("symbol"), {0}, "en")
    assert "your choice is merged next" in cut[0]["note"]


def test_an_overlapping_pair_is_marked_as_it_is_merged() -> None:
    steps = merge_steps({"aaaaa": 1}, _settings("none"), 1)
    (words, *_) = merge_frames(steps, _settings("none"), (), "en")[0]["blocks"]
    assert [token["mark"] for token in words["rows"][0]["tokens"]] == ["chosen"] * 4 + [None]


def test_the_segmenter_shows_merges_and_unknown_characters() -> None:
    steps = _steps("low_slides")
    merges = [step.chosen for step in steps if step.chosen][:8]
    settings = _settings("symbol")
    frames = replay_frames(["slow", "now"], merges, steps[0].vocabulary, settings, "en")
    shown = [[[token["text"] for token in row["tokens"]] for row in frame["blocks"][0]["rows"]] for frame in frames]
    assert shown == [
        [["s", "l", "o", "w", "_"], ["n", "o", "w", "_"]],
        [["s", "lo", "w", "_"], ["n", "o", "w", "_"]],
        [["s", "low", "_"], ["n", "o", "w", "_"]],
        [["s", "low_"], ["n", "o", "w", "_"]],
    ]
    assert "After skipping 4 merges" in frames[0]["note"] and "6 tokens" in frames[-1]["note"]
    (frame, *_) = replay_frames(["mug"], [], {"u", "g"}, _settings("none"), "en")
    assert [token["mark"] for token in frame["blocks"][0]["rows"][0]["tokens"]] == ["gone", None, None]
    assert "‘m’" in frame["note"]


@given(st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=4))
def test_words_replayed_together_are_words_replayed_one_by_one(words: list[str]) -> None:
    settings = _settings("attached")
    merges = [step.chosen for step in merge_steps({"abcab": 3, "bca": 2, "cc": 1}, settings, 9) if step.chosen]
    alone = []
    for word in words:
        first, steps = replay(word, merges, settings)
        alone.append(steps[-1].symbols if steps else first)
    assert list(replay_words(words, merges, settings)[-1].words) == alone


def test_the_table_of_merges() -> None:
    table = merge_table(_steps("low_slides"))
    assert table.loc[0].tolist() == [1, "e", "r", "er", 9, 2, "r + _", 9, 96 - 9]
    assert table["token"].tolist()[:8] == ["er", "er_", "ne", "new", "lo", "low", "newer_", "low_"]
    assert table["n_tokens"].iloc[-1] == 18


def test_picks_in_the_url() -> None:
    assert read_picks("0.1-4.2") == {0: 1, 4: 2}
    assert write_picks({4: 2, 0: 1}) == "0.1-4.2" and write_picks({}) is None
    for text in ("x", "0", "1.²", "1.-3", "", "1.2.3", "7.7-1"):
        assert read_picks(text) is None
    assert with_pick({0: 1, 4: 2, 6: 1}, 4, 0) == {0: 1, 4: 0}
    words = count_words(presets()["low_slides"])
    steps, kept = run_with_picks(words, _settings("symbol"), 8, {0: 1, 2: 7, 99: 0})
    assert kept == {0: 1} and steps[0].chosen == ("r", "_")
    with pytest.raises(InputError, match="tie"):
        _steps("low_slides", picks={0: 5})


def _wordpiece(name: str, score: str = "likelihood", prefix: str = "##", n: int = 30) -> list[ToyStep]:
    settings = MergeSettings(algorithm="wordpiece", continuing=prefix, score=score)
    return merge_steps(count_words(presets()[name]), settings, n)


def test_the_orders_of_bpe_and_wordpiece() -> None:
    table = orders_table(_wordpiece("hug", "frequency"), _wordpiece("hug"))
    assert table.loc[0].tolist() == [1, "##u + ##g", 20, "##g + ##s", "5 / (20 × 5)", 0.05]
    assert table["score"].tolist()[1] == pytest.approx(1 / 36)
    assert table["bpe"].isna().sum() == 2 and len(table) == 9
    th, qu = PairScore(("t", "h"), 1000, 5000, 3000, 0), PairScore(("q", "u"), 200, 210, 2000, 0)
    assert (f"{gain(th):.1e}", f"{gain(qu):.1e}") == ("6.7e-05", "4.8e-04")


def test_a_frame_of_wordpiece_has_a_column_for_the_score() -> None:
    settings = MergeSettings(algorithm="wordpiece", continuing="##", score="likelihood")
    frames = merge_frames(_wordpiece("hug"), settings, (), "en")
    assert len(frames) == 10
    assert "5 / (20 × 5) = 0.0500" in frames[0]["note"]
    pairs = frames[0]["blocks"][1]
    assert pairs["rows"][0] == ["##g\u00a0+\u00a0##s", 5, "5\u00a0/\u00a0(20\u00a0×\u00a05)\u00a0=\u00a00.0500"]
    assert "6 pairs have this score: try another from the table." in frames[1]["note"]
    assert "No pairs are left" in frames[-1]["note"]


def _matched(words: list[str], vocabulary: set[str], **settings: str) -> tuple[int, list[list[str]], str]:
    chosen = MergeSettings(algorithm="wordpiece", **settings)
    frames = match_frames(words, vocabulary, chosen, "en")
    rows = frames[-1]["blocks"][0]["rows"]
    return len(frames), [[token["text"] for token in row["tokens"]] for row in rows], frames[-1]["note"]


def test_the_longest_match_of_the_sources() -> None:
    n, cut, _ = _matched(["unaffable"], {"un", "una", "##ffa", "##ble"}, continuing="##")
    assert cut == [["una", "##ffa", "##ble"]] and n == 7 + 4 + 1 + 1
    # unhappiness is unlearnable: 26 characters, 3 words, 6 tokens
    words = ["unhappiness", "is", "unlearnable"]
    _, cut, note = _matched(words, {"un", "##happiness", "is", "##learn", "##able"}, continuing="##")
    assert cut == [["un", "##happiness"], ["is"], ["un", "##learn", "##able"]]
    assert note == "26 characters (spaces included) in 3 words became 6 tokens."
    # The slides train by frequency, without ##.
    learned = merge_steps(count_words(presets()["low_slides"]), _settings("symbol"), 8)[-1].vocabulary
    assert _matched(["slow"], set(learned), end_of_word="_", mark_place="symbol")[1] == [["s", "low_"]]
    # One unknown character, and the whole word is lost.
    _, cut, note = _matched(["unaffox", "un"], {"una", "un", "##ff"}, continuing="##")
    assert cut == [["[UNK]"], ["un"]] and "cannot be recovered" in note


def test_words_and_counts_are_read_in_every_form() -> None:
    assert count_words("hug 10\n\n pug 5 \n") == {"hug": 10, "pug": 5}
    assert count_words("chapter 11 begins") == {"chapter": 1, "11": 1, "begins": 1}
    assert count_words("") == {} and count_words("\n") == {}
    with pytest.raises(InputError, match="a count of 0"):
        count_words("hug 0")


def test_a_long_text_keeps_its_most_frequent_words() -> None:
    text = " ".join(["a", "b", "b", "c" * 41, *map(str, range(1000)), "7"])
    short = shorten(count_words(text), 3)
    assert short == ({"a": 1, "b": 2, "7": 2}, 1003, 1)
    assert list(short.words) == ["a", "b", "7"]
