"""WordPiece: training by likelihood gain or by frequency, and its longest match beside that of `tokenizers`."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.merge_settings import MergeSettings
from engine.merges.trainer import MergeTrainer, toy_pretokens, train_merges
from engine.merges.wordpiece import WordPiece
from tests.engine.merges.test_bpe import SLIDES, assert_tiles

few = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def trained(words: dict[str, int], n_merges: int, **changes: object) -> WordPiece:
    chosen = {"algorithm": "wordpiece", "vocab_size": None, "max_merges": n_merges, "pretokenizer": "whitespace"}
    trainer = MergeTrainer(toy_pretokens(words), MergeSettings(**chosen | changes))
    list(trainer.rounds())
    model = trainer.model()
    assert isinstance(model, WordPiece)
    return model


def labels(model: WordPiece, text: str) -> list[str]:
    return [model.token_label(i) for i in model.encode(text).ids]


def test_likelihood_gain_on_the_hug_corpus() -> None:
    model = trained(HUG, 3, continuing="##", score="likelihood")
    table = model.table()
    # The first is the best by far: 5 / (20 x 5); "##u ##g", the most frequent pair, has 20 / (36 x 20).
    assert table["token"].tolist() == ["##gs", "hu", "hugs"]
    assert table["score"][0] == pytest.approx(1 / 20)
    assert table["runner_up_score"][0] == pytest.approx(1 / 36)
    assert table["n_ties"].tolist() == [1, 6, 1]  # all pairs with ##u have 1/36
    assert labels(model, "hugs hug") == ["hugs", "hu", "##g"]
    assert labels(model, "bugs") == ["b", "##u", "##gs"]
    assert labels(model, "bum") == ["[UNK]"]


def test_the_lesson_example_of_the_score() -> None:
    th, qu = 1000 / (5000 * 3000), 200 / (210 * 2000)
    assert (f"{th:.1e}", f"{qu:.1e}") == ("6.7e-05", "4.8e-04")
    # A corpus with these very counts: frequency merges t h, likelihood q u.
    words = {"th": 1000, "t": 4000, "h": 2000, "qu": 200, "q": 10, "u": 1800}
    assert trained(words, 1).table()["token"].tolist() == ["th"]
    model = trained(words, 1, score="likelihood")
    assert model.table()["token"].tolist() == ["qu"]
    assert model.table()["score"][0] == pytest.approx(qu)
    assert model.table()["runner_up_score"][0] == pytest.approx(th)


def test_the_slides_train_by_frequency_without_marks_inside_words() -> None:
    model = trained(SLIDES, 8, end_of_word="_", mark_place="symbol")
    assert model.table()["token"].tolist() == ["er", "er_", "ne", "new", "lo", "low", "newer_", "low_"]
    assert labels(model, "slow") == ["s", "low_"]


def test_a_long_word_is_unknown_as_a_whole() -> None:
    assert labels(trained({"a": 2}, 0, continuing="##", max_word_chars=3), "a aaaa") == ["a", "[UNK]"]


def test_special_tokens() -> None:
    model = trained({"aa": 2}, 0, continuing="##", special_tokens=("[CLS]",))
    assert labels(model, "a[CLS]a") == ["[UNK]"]
    ids = model.encode("a[CLS] aa", allow_special=True)
    assert [model.token_label(i) for i in ids.ids] == ["a", "[CLS]", "a", "##a"]
    assert_tiles(ids.spans, "a[CLS] aa")
    assert model.decode(ids.ids) == "a [CLS] aa"


@few
@given(
    st.lists(st.text("ab#가", min_size=1, max_size=5), max_size=12),
    st.text("ab#가 \t\u3000[UNK]", max_size=30),
    st.integers(1, 12),
)
def test_the_longest_match_is_that_of_tokenizers(entries: list[str], text: str, max_word_chars: int) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = list(dict.fromkeys(["[UNK]", "a", "##a", "##b", "[", "##U", *entries, *("##" + e for e in entries)]))
    ids = {label: i for i, label in enumerate(vocabulary)}
    peer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=max_word_chars))
    peer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    encoding = from_tokenizer_json(peer.to_str().encode()).encode(text)
    assert encoding.ids == peer.encode(text).ids
    assert_tiles(encoding.spans, text)


def test_a_trained_vocabulary_encodes_as_in_tokenizers(shared_data: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    lines = (shared_data / "ko_reviews_small.txt").read_text(encoding="utf-8").split("\n")[:8000]
    chosen = MergeSettings(algorithm="wordpiece", vocab_size=6000, pretokenizer="whitespace", continuing="##")
    model = train_merges(lines, chosen)
    names = [token.label for token in model.tokens]
    assert model.vocab_size == len(set(names)) == 6000
    peer = Tokenizer(models.WordPiece({label: i for i, label in enumerate(names)}, unk_token="[UNK]"))
    peer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    sample = [*lines[::3], "쀍 a쀍 ##다", "가" * 101, "[UNK] 다", "\u0085가\u00a0나\u200b다", ""]
    assert [model.encode(line).ids for line in sample] == [encoding.ids for encoding in peer.encode_batch(sample)]


def test_training_by_likelihood_keeps_up_with_a_real_corpus(shared_data: Path) -> None:
    lines = (shared_data / "ko_reviews_small.txt").read_text(encoding="utf-8").split("\n")[:3000]
    chosen = MergeSettings(
        algorithm="wordpiece",
        vocab_size=5000,
        pretokenizer="whitespace",
        continuing="##",
        score="likelihood",
        min_count=5,
    )
    model = train_merges(lines, chosen)
    assert isinstance(model, WordPiece)
    assert (model.history.frequency >= 5).all()
    words = " ".join(lines[0].split())
    assert model.decode(model.encode(lines[0]).ids) == words


def test_a_text_that_begins_as_an_entry_goes_on_is_decoded_as_the_library_does() -> None:
    from tokenizers import decoders

    model = trained(SLIDES, 5, continuing="##")
    peer = decoders.WordPiece(cleanup=False)
    for text in ("##er", "##er low", "##erer", "##", "low ##er"):
        ids = model.encode(text).ids
        assert model.decode(ids) == peer.decode([model.token_label(token_id) for token_id in ids])
    assert model.decode(model.encode("##er low").ids) == "##er low"


def test_spans_and_decoding_of_marked_words() -> None:
    model = trained(SLIDES, 5, continuing="##")
    assert labels(model, " low  lower") == ["low", "low", "##er"]
    assert model.decode(model.encode(" low  slow").ids) == "low [UNK]"
    assert_tiles(model.encode(" low  lower ").spans, " low  lower ")
    assert model.encode(" \t").ids == []
    assert model.at(0).n_merges == 0
    with pytest.raises(InputError, match="5 merges"):
        model.at(6)
