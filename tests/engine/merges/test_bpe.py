"""BPE: the worked examples, the recount oracle, and `tokenizers`."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.config import TIES, TrainingSettings
from engine.errors import InputError
from engine.merge_settings import MergeSettings, merge_settings
from engine.merges import index, run
from engine.merges.bpe import Bpe
from engine.merges.trainer import MergeTrainer, merge_trainer, toy_pretokens, train_merges
from engine.pretokenization import get_pretokenizer
from tests import naive_merges

few = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

SLIDES = {"low": 5, "lowest": 2, "newer": 6, "wider": 3, "new": 2}
LESSON = {"low": 5, "lowest": 2, "newer": 3, "wider": 2}
TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
UNDERSCORE = {"algorithm": "bpe", "end_of_word": "_", "mark_place": "symbol"}
MARK = {"algorithm": "bpe", "end_of_word": "</w>", "mark_place": "symbol"}
ATTACHED = {"algorithm": "bpe", "end_of_word": "</w>"}
PLAIN = {"algorithm": "bpe"}


def toy(words: dict[str, int], n_merges: int, **changes: object) -> Bpe:
    chosen = MergeSettings(**{"vocab_size": None, "max_merges": n_merges, "pretokenizer": "whitespace"} | changes)
    trainer = MergeTrainer(toy_pretokens(words), chosen)
    list(trainer.rounds())
    model = trainer.model()
    assert isinstance(model, Bpe)
    return model


def pairs(model: Bpe) -> list[str]:
    return [f"{row.left} {row.right}" for row in model.table().itertuples()]


def labels(model: Bpe, text: str, **options: object) -> list[str]:
    return [model.token_label(i) for i in model.encode(text, **options).ids]


# The slides


def test_the_slides_merges_in_their_order() -> None:
    model = toy(SLIDES, 8, **UNDERSCORE)
    assert pairs(model) == ["e r", "er _", "n e", "ne w", "l o", "lo w", "new er_", "low _"]
    first = [model.token_label(i) for i in range(1, model.n_first)]  # 0 is the unknown token
    assert sorted(first) == ["_", "d", "e", "i", "l", "n", "o", "r", "s", "t", "w"]


def test_the_slides_ties_are_seen() -> None:
    # e r (9) ties with r _; n e (8) with e w; l o (7) with o w. The slides do not say so.
    table = toy(SLIDES, 8, **UNDERSCORE).table()
    assert table["count"].tolist() == [9, 9, 8, 8, 7, 7, 6, 5]
    assert table["n_ties"].tolist() == [2, 1, 2, 1, 2, 1, 1, 1]
    runners = (table["runner_up_left"] + " " + table["runner_up_right"]).tolist()
    assert [runners[0], runners[2], runners[4]] == ["r _", "e w", "o w"]


def test_lexicographic_ties_do_not_reproduce_the_slides() -> None:
    assert pairs(toy(SLIDES, 3, ties="lexicographic", **UNDERSCORE)) == ["r _", "e r_", "n e"]


def test_the_slides_segmenter() -> None:
    model = toy(SLIDES, 8, **UNDERSCORE)
    assert labels(model, "slow") == ["s", "low_"]  # the slides stop at s low_
    assert labels(model, "slow", n_merges=7) == ["s", "low", "_"]
    assert labels(model, "now") == ["n", "o", "w", "_"]


# The lesson


def test_the_lesson_merges() -> None:
    model = toy(LESSON, 3, **MARK)
    table = model.table()
    assert pairs(model)[:2] == ["l o", "lo w"]
    assert (table["count"][0], table["n_ties"][0], table["runner_up_left"][0]) == (7, 2, "o")
    # The lesson expects "e r" third. It ties with two others, and "low </w>" is met first.
    assert (pairs(model)[2], table["n_ties"][2], table["count"][2]) == ("low </w>", 3, 5)


def test_the_lesson_forgot_a_pair() -> None:
    words = [((*word, "</w>"), count) for word, count in LESSON.items()]
    counts = naive_merges.count_pairs(words)
    assert counts["e", "w"] == 3  # not in the lesson's list
    assert {pair: counts[pair] for pair in [("l", "o"), ("o", "w"), ("w", "</w>"), ("w", "e"), ("n", "e")]} == {
        ("l", "o"): 7,
        ("o", "w"): 7,
        ("w", "</w>"): 5,
        ("w", "e"): 5,
        ("n", "e"): 3,
    }


# The textbook


def test_the_textbook_exercise_has_no_mark() -> None:
    assert pairs(toy(TEXTBOOK, 3, **PLAIN)) == ["e s", "es t", "l o"]
    # Its text has </w>, and with that the third merge is another one.
    assert pairs(toy(TEXTBOOK, 3, **MARK)) == ["e s", "es t", "est </w>"]
    assert pairs(toy(TEXTBOOK, 2, **ATTACHED)) == ["e s", "es t</w>"]


def test_the_textbook_trace_of_ab_and_bc() -> None:
    model = toy({"ab": 3, "bc": 2}, 3, **MARK)
    assert pairs(model) == ["a b", "ab </w>", "b c"]
    assert model.table()["n_ties"].tolist() == [2, 1, 2]
    assert labels(model, "abc") == ["ab", "c", "</w>"]


# The recount oracle


def first_symbols(word: str, chosen: MergeSettings) -> tuple[str, ...]:
    if chosen.algorithm == "byte-bpe":
        return tuple(word.encode().decode("latin-1"))
    symbols = [chosen.continuing + c if i else c for i, c in enumerate(word)]
    if chosen.end_of_word and chosen.mark_place == "attached":
        symbols[-1] += chosen.end_of_word
    elif chosen.end_of_word:
        symbols.append(chosen.end_of_word)
    return tuple(symbols)


@st.composite
def merge_runs(draw: st.DrawFn) -> tuple[dict[str, int], MergeSettings]:
    alphabet = draw(st.sampled_from(["ab", "abc", "가나다", "ab가é😀"]))
    words = draw(st.dictionaries(st.text(alphabet, min_size=1, max_size=12), st.integers(1, 5), min_size=1, max_size=8))
    algorithm = draw(st.sampled_from(["bpe", "byte-bpe", "wordpiece"]))
    marks = {}
    if algorithm != "byte-bpe":
        marks = draw(st.sampled_from([{}, {"end_of_word": "</w>"}, {"continuing": "##"}, MARK, {"continuing": "@@"}]))
    chosen = {
        "algorithm": algorithm,
        "ties": draw(st.sampled_from(TIES)),
        "score": draw(st.sampled_from(["frequency", "likelihood"])),
        "min_count": draw(st.integers(1, 3)),
    }
    return words, MergeSettings(**{"vocab_size": None, "max_merges": 30} | marks | chosen)


def assert_as_recounted(words: dict[str, int], chosen: MergeSettings) -> None:
    trainer = MergeTrainer(toy_pretokens(words), chosen)
    reports = list(trainer.rounds(every=7))
    model = trainer.model()
    names = [token.surface.decode("latin-1") for token in model.tokens]
    if chosen.algorithm != "byte-bpe":
        names = [token.label for token in model.tokens]
    expected = naive_merges.train(
        [(first_symbols(word, chosen), count) for word, count in words.items()],
        n_merges=30,
        ties=chosen.ties,
        likelihood=chosen.score == "likelihood",
        first_ids=names[: trainer.n_first],
        min_count=chosen.min_count,
        continuing=chosen.continuing,
    )
    history = trainer.history
    named = list(zip(history.left.tolist(), history.right.tolist(), strict=True))
    assert [(names[a], names[b]) for a, b in named] == [merge.pair for merge in expected]
    assert history.frequency.tolist() == [merge.count for merge in expected]
    assert history.score.tolist() == [merge.score for merge in expected]
    assert history.n_ties.tolist() == [merge.n_ties for merge in expected]
    assert history.n_tokens.tolist() == [merge.n_tokens for merge in expected]
    runners = zip(history.runner_left.tolist(), history.runner_right.tolist(), strict=True)
    assert [(names[a], names[b]) if a >= 0 else None for a, b in runners] == [merge.runner_up for merge in expected]
    assert [report.is_last for report in reports] == [False] * (len(reports) - 1) + [True]
    assert reports[-1].vocab_size == model.vocab_size == trainer.n_first + len(expected)


@few
@given(merge_runs())
def test_merges_are_those_of_a_recount_before_every_merge(case: tuple[dict[str, int], MergeSettings]) -> None:
    assert_as_recounted(*case)


@few
@given(merge_runs())
def test_an_index_that_is_too_small_at_first_changes_nothing(case: tuple[dict[str, int], MergeSettings]) -> None:
    """Only the most frequent pairs are indexed at first, and there is hardly room for more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_FIRST_BOUND", 4)
        patch.setattr(run, "_NEXT_BOUND", 2)
        patch.setattr(index, "_SPARE_ROWS", 0)
        assert_as_recounted(*case)


@few
@given(merge_runs(), st.text("ab가é😀 c", max_size=20), st.integers(0, 30))
def test_encoding_replays_the_merges(case: tuple[dict[str, int], MergeSettings], text: str, n_merges: int) -> None:
    words, chosen = case
    model = toy(words, 30, ties=chosen.ties, algorithm="byte-bpe")
    n_merges = min(n_merges, model.n_merges)
    names = [token.surface.decode("latin-1") for token in model.tokens]
    merges = [(names[a], names[b]) for a, b in zip(model.history.left, model.history.right, strict=True)][:n_merges]
    expected = [
        token
        for piece in get_pretokenizer("whitespace").split(text)
        for token in naive_merges.segment(tuple(piece.encode().decode("latin-1")), merges)
    ]
    assert [names[i] for i in model.encode(text, n_merges=n_merges).ids] == expected
    assert model.at(n_merges).encode(text) == model.encode(text, n_merges=n_merges)


# Properties


def assert_tiles(spans: list[tuple[int, int]], text: str) -> None:
    ends = [0, *(end for _, end in spans)]
    assert [begin for begin, _ in spans] == ends[:-1]
    assert all(begin <= end for begin, end in spans)
    if spans:
        assert ends[-1] == len(text.encode())


KOREAN = [
    "한국어 말뭉치에서 배운다.",
    "한국어 말뭉치로 배우는 중이다!",
    "배운 말을 또 배운다 2026",
    "low lowest newer wider",
]
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text(
    "한국어 말\t\u3000lowé😀\0", max_size=30
)


@few
@given(any_text)
def test_bytes_come_back_whole(text: str) -> None:
    model = byte_model()
    encoding = model.encode(text)
    assert model.decode(encoding.ids) == text
    assert_tiles(encoding.spans, text)
    surfaces = [model.token_bytes(i) for i in encoding.ids]
    assert surfaces == [text.encode()[begin:end] for begin, end in encoding.spans]


def byte_model(**changes: object) -> Bpe:
    model = train_merges(KOREAN, MergeSettings(**{"vocab_size": 300, "pretokenizer": "thunder-tok"} | changes))
    assert isinstance(model, Bpe)
    return model


@few
@given(any_text, st.sampled_from([UNDERSCORE, ATTACHED, PLAIN]), st.sampled_from(["whitespace", "thunder-tok", "gpt2"]))
def test_spans_of_characters_tile_the_text(text: str, marks: dict[str, object], pretokenizer: str) -> None:
    model = train_merges(KOREAN, MergeSettings(**marks, vocab_size=None, max_merges=40, pretokenizer=pretokenizer))
    encoding = model.encode(text)
    assert bool(encoding.ids) == bool(get_pretokenizer("whitespace").split(text) if marks is PLAIN else text.strip())
    assert_tiles(encoding.spans, text)
    for token_id, (begin, end) in zip(encoding.ids, encoding.spans, strict=True):
        if model.token_bytes(token_id):
            assert model.token_bytes(token_id) in text.encode()[begin:end]


@few
@given(st.lists(st.text("한국어말", min_size=1, max_size=6), max_size=5), st.sampled_from([UNDERSCORE, ATTACHED]))
def test_words_come_back_with_one_space_between_them(words: list[str], marks: dict[str, object]) -> None:
    every_form = ["한 국 어 말", "한국어말한국어말", *KOREAN]
    model = train_merges(every_form, MergeSettings(**marks, vocab_size=None, max_merges=30, pretokenizer="whitespace"))
    assert model.decode(model.encode("  ".join(words)).ids) == " ".join(words)


def test_white_space_is_covered_by_the_tokens_around_it() -> None:
    attached = toy(SLIDES, 99, **ATTACHED)
    assert attached.encode(" low  new ").spans == [(0, 4), (4, 10)]
    own = toy(SLIDES, 6, **UNDERSCORE)  # low | _ | new | _: a mark of its own stands for the white space after
    assert own.encode(" low  new ").spans == [(0, 4), (4, 6), (6, 9), (9, 10)]
    assert own.encode("low new").spans == [(0, 3), (3, 4), (4, 7), (7, 7)]
    assert own.encode("   ").ids == []


def test_bytes_that_are_no_character_are_hex() -> None:
    model = byte_model(vocab_size=256)
    ids = model.encode("쀍 a").ids
    assert [model.token_label(i) for i in ids] == ["<0xEC>", "<0x80>", "<0x8D>", " ", "a"]
    assert model.decode(ids[:2]) == "<0xEC><0x80>"
    assert model.decode(ids[1:]) == "<0x80><0x8D> a"


def test_unknown_characters_and_unseen_forms() -> None:
    model = toy({"low": 1, "lo": 1}, 0, **ATTACHED)
    assert labels(model, "x") == ["[UNK]"]
    assert labels(model, "ol") == ["o", "l"]  # l never ended a word: it has no marked form
    assert labels(model, "wo") == ["w", "o</w>"]
    assert model.decode(model.encode("lo x").ids) == "lo [UNK]"
    merged = toy({"wel": 3}, 1, **ATTACHED)
    assert pairs(merged) == ["w e"]
    assert labels(merged, "wel we") == ["we", "l</w>", "w", "e"]  # an e that ends a word is none that was merged


def test_special_tokens_are_text_unless_allowed() -> None:
    model = byte_model(special_tokens=("<s>", "<s>a"))
    assert model.token_label(0) == "<s>" and model.token_bytes(0) == b""
    assert 0 not in model.encode("<s>").ids
    encoding = model.encode("말<s>a <s>", allow_special=True)
    assert encoding.ids[-3:] == [1, model.encode(" ").ids[0], 0]
    assert_tiles(encoding.spans, "말<s>a <s>")
    assert model.decode(encoding.ids) == "말<s>a <s>"
    spaced = train_merges(KOREAN, MergeSettings(**ATTACHED, special_tokens=("<s>",), pretokenizer="whitespace"))
    assert_tiles(spaced.encode("  <s>  ", allow_special=True).spans, "  <s>  ")


def test_normalisation_comes_first() -> None:
    model = train_merges(["각 각"], MergeSettings(vocab_size=260, normalization="nfc"))
    assert model.encode("\u1100\u1161\u11a8") == model.encode("각")


# History


def test_the_history_follows_the_corpus() -> None:
    lines = ["low low low low low lowest lowest", "newer newer newer newer newer newer wider wider wider new new"]
    model = train_merges(lines, MergeSettings(vocab_size=None, max_merges=12, pretokenizer="whitespace", **ATTACHED))
    table = model.table()
    for row in table.itertuples():
        n_tokens = sum(len(model.encode(line, n_merges=row.number).ids) for line in lines)
        assert row.n_tokens == n_tokens
        assert row.fertility == n_tokens / 18
        assert row.vocab_size == model.at(row.number).vocab_size
    assert model.n_symbols == table["n_tokens"][0] + table["count"][0]
    assert model.at(0).vocab_size == model.n_first
    with pytest.raises(InputError, match="from 0 to 12"):
        model.at(14)


def test_the_usual_marks() -> None:
    assert merge_settings(TrainingSettings(algorithm="bpe")).end_of_word == "</w>"
    wordpiece = merge_settings(TrainingSettings(algorithm="wordpiece"))
    assert (wordpiece.continuing, wordpiece.score, wordpiece.min_count) == ("##", "likelihood", 2)
    assert merge_settings(TrainingSettings(algorithm="byte-bpe", ties="tokenizers")).ties == "tokenizers"


# Mistakes


@pytest.mark.parametrize("lines", [[], [""], ["   ", "\t"]])
def test_a_corpus_without_words(lines: list[str]) -> None:
    with pytest.raises(InputError, match="no text"):
        train_merges(lines, MergeSettings(**ATTACHED))


def test_a_vocabulary_smaller_than_the_alphabet() -> None:
    with pytest.raises(InputError, match="at least 6"):
        train_merges(["low lo"], MergeSettings(**ATTACHED, vocab_size=5))
    with pytest.raises(InputError, match="at least 256"):
        merge_trainer(["low"], MergeSettings(vocab_size=255))
    assert byte_model(vocab_size=256).n_merges == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"algorithm": "unigram"},
        {"ties": "random"},
        {"score": "pmi"},
        {"mark_place": "before"},
        {"algorithm": "byte-bpe", "end_of_word": "</w>"},
        {"algorithm": "bpe", "end_of_word": "_", "mark_place": "symbol", "continuing": "##"},
        {"vocab_size": 0},
        {"max_merges": -1},
        {"min_count": 0},
        {"special_tokens": ("a", "a")},
        {"unknown": ""},
    ],
)
def test_settings_that_make_no_sense(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        MergeSettings(**changes)


def test_other_algorithms_and_ids() -> None:
    with pytest.raises(InputError, match="merges"):
        merge_settings(TrainingSettings(algorithm="unigram"))
    with pytest.raises(InputError, match="no token with the id 300"):
        byte_model().decode([300])
    with pytest.raises(InputError, match="surrogate"):
        byte_model().encode("\ud800")


def test_one_word_and_no_pair() -> None:
    assert toy({"a": 1}, 5, **PLAIN).n_merges == 0
    assert pairs(toy({"aaaa": 1}, 5, **PLAIN)) == ["a a", "aa aa"]
    trainer = merge_trainer(["aa"], MergeSettings(vocab_size=8000))
    assert [report.vocab_size for report in trainer.rounds()] == [256, 257]
    with pytest.raises(InputError, match="has finished"):
        list(trainer.rounds())


def test_a_long_word_takes_no_long_time() -> None:
    model = toy({"ab" * 50_000: 1}, 20, algorithm="byte-bpe")
    assert model.n_merges == 20
    text = "ab" * 50_000
    assert model.decode(model.encode(text).ids) == text


# `tokenizers`


def peer_trained(pattern: str, lines: list[str], vocab_size: int):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    peer = Tokenizer(models.BPE())
    peer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    peer.train_from_iterator(
        lines, trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    )
    return peer


def byte_characters() -> dict[int, str]:
    """How GPT-2 writes each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(0x100 + i) for i, byte in enumerate(others)}


@pytest.mark.parametrize("pretokenizer", ["gpt2", pytest.param("thunder-tok", marks=pytest.mark.slow)])
def test_the_same_merges_ids_and_encoding_as_tokenizers(shared_data: Path, pretokenizer: str) -> None:
    from engine.corpus.pretokens.presets import PRESETS

    lines = (shared_data / "ko_reviews_small.txt").read_text(encoding="utf-8").split("\n")[::4]
    peer = peer_trained(PRESETS[pretokenizer].pattern, lines, 4000)
    theirs = json.loads(peer.to_str())["model"]
    model = train_merges(lines, MergeSettings(vocab_size=4000, pretokenizer=pretokenizer, ties="tokenizers"))
    written = byte_characters()
    names = ["".join(written[byte] for byte in token.surface) for token in model.tokens]
    merges = [[names[a], names[b]] for a, b in zip(model.history.left, model.history.right, strict=True)]
    assert merges == theirs["merges"]
    assert {name: i for i, name in enumerate(names)} == theirs["vocab"]
    fuzz = ["", " ", "쀍갂 😀👨‍👩‍👧\0\u3000", "a  b\tc\n\n d 's", "\u1100\u1161", "12345 3.14!!  "]
    sample = lines[::7] + fuzz
    ids = [encoding.ids for encoding in peer.encode_batch_fast(sample)]
    assert [model.encode(line).ids for line in sample] == ids


def test_the_other_ties_learn_nearly_the_same(shared_data: Path) -> None:
    lines = (shared_data / "ko_reviews_small.txt").read_text(encoding="utf-8").split("\n")[:4000]
    models = [train_merges(lines, MergeSettings(vocab_size=1500, ties=ties)) for ties in TIES]
    vocabularies = [{token.surface for token in model.tokens} for model in models]
    assert all(len(vocabulary & vocabularies[0]) > 1400 for vocabulary in vocabularies)
    counts = [model.history.frequency for model in models]
    assert all(np.abs(count - counts[0]).max() <= 5 for count in counts)
