"""The lessons' BPE and WordPiece: the numbers of the slides, and the same merges as the trainer."""

import pytest
from hypothesis import HealthCheck, given, settings

from app.toys.corpus import read_toy_corpus
from app.toys.merges import max_match_steps, merge_steps, replay
from engine.errors import InputError
from engine.merge_settings import MergeSettings
from engine.merges.trainer import MergeTrainer, toy_pretokens
from tests.engine.merges.test_bpe import LESSON, MARK, SLIDES, UNDERSCORE, merge_runs

few = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def test_the_slides_step_by_step() -> None:
    steps = merge_steps(SLIDES, MergeSettings(**UNDERSCORE), 8)
    assert [" ".join(step.chosen) for step in steps[:-1]] == [
        "e r",
        "er _",
        "n e",
        "ne w",
        "l o",
        "lo w",
        "new er_",
        "low _",
    ]
    assert steps[0].vocabulary == ("_", "d", "e", "i", "l", "n", "o", "r", "s", "t", "w")
    assert steps[0].ties == (("e", "r"), ("r", "_"))
    assert steps[2].ties == (("n", "e"), ("e", "w"))
    assert steps[4].ties == (("l", "o"), ("o", "w"))
    assert dict(steps[1].words)["n", "e", "w", "er", "_"] == 6
    assert steps[-1].chosen is None and steps[-1].vocabulary[-1] == "low_"
    assert steps[0].n_tokens - steps[1].n_tokens == 9


def test_a_tie_can_be_decided_by_hand() -> None:
    chosen = MergeSettings(**MARK)
    steps = merge_steps(LESSON, chosen, 3, {0: ("o", "w")})
    assert [step.token for step in steps[:2]] == ["ow", "low"]
    # The lesson's own third merge is one of three that tie.
    steps = merge_steps(LESSON, chosen, 3, {2: ("e", "r")})
    assert steps[2].token == "er" and set(steps[2].ties) == {("low", "</w>"), ("e", "r"), ("r", "</w>")}
    with pytest.raises(InputError, match="tie"):
        merge_steps(LESSON, chosen, 3, {0: ("e", "r")})


def test_the_segmenter_replays_the_merges() -> None:
    chosen = MergeSettings(**UNDERSCORE)
    merges = [step.chosen for step in merge_steps(SLIDES, chosen, 8) if step.chosen]
    first, steps = replay("slow", merges, chosen)
    assert first == ("s", "l", "o", "w", "_")
    assert [step.symbols for step in steps] == [("s", "lo", "w", "_"), ("s", "low", "_"), ("s", "low_")]
    assert [step.number for step in steps] == [4, 5, 7]
    assert replay("now", merges, chosen) == (("n", "o", "w", "_"), [])


def test_longest_match_step_by_step() -> None:
    chosen = MergeSettings(algorithm="wordpiece", continuing="##")
    steps = max_match_steps("unaffable", {"una", "##ffa", "##ble"}, chosen)
    assert [step.token for step in steps] == ["una", "##ffa", "##ble"]
    assert steps[1].tried == ("##ffable", "##ffabl", "##ffab", "##ffa")
    assert [step.token for step in max_match_steps("unafx", {"una"}, chosen)] == ["una", "[UNK]"]
    slides = MergeSettings(algorithm="wordpiece", end_of_word="_", mark_place="symbol")
    assert [step.token for step in max_match_steps("slow", {"s", "low_"}, slides)] == ["s", "low_"]


@few
@given(merge_runs())
def test_the_lesson_and_the_trainer_agree(case: tuple[dict[str, int], MergeSettings]) -> None:
    words, chosen = case
    if chosen.ties == "tokenizers":  # goes by ids, and the trainer's alphabet is larger
        chosen = MergeSettings(**{**chosen.__dict__, "ties": "first-seen"})
    if chosen.algorithm == "byte-bpe" and chosen.ties == "lexicographic":  # the labels of bytes sort differently
        return
    trainer = MergeTrainer(toy_pretokens(words), chosen)
    list(trainer.rounds())
    steps = merge_steps(words, chosen, 30)
    history = trainer.history
    names = [token.label for token in trainer.model().tokens]
    if chosen.algorithm != "byte-bpe":
        assert [step.token for step in steps[:-1]] == names[trainer.n_first :]
    assert [step.n_tokens for step in steps[1:]] == history.n_tokens.tolist()
    frequencies = [{row.pair: row.frequency for row in step.pairs} for step in steps]
    assert [counts[step.chosen] for counts, step in zip(frequencies, steps, strict=True) if step.chosen] == (
        history.frequency.tolist()
    )
    assert [len(step.ties) for step in steps[:-1]] == history.n_ties.tolist()


def test_reading_a_toy_corpus() -> None:
    assert read_toy_corpus("hug:10 pug:5, pun×12\nhug a:b") == {"hug": 11, "pug": 5, "pun": 12, "a:b": 1}
    assert read_toy_corpus("low low lowest") == {"low": 2, "lowest": 1}
    many = " ".join(map(str, range(301)))
    for text, message in [("", "no word"), ("a:0", "count of 0"), ("가" * 41, "41"), (many, "301")]:
        with pytest.raises(InputError, match=message):
            read_toy_corpus(text)
    with pytest.raises(InputError, match="too many"):
        read_toy_corpus(" ".join(chr(0xAC00 + i) * 40 for i in range(100)))
