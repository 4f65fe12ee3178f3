"""The failure modes page: every topic has its text, every variant is cut, and unused tokens are counted."""

import pytest

from app.session.comparison import taught_settings
from app.texts.catalogue import LANGUAGES, translate
from app.texts.corpora import ALL, builtin_corpus
from app.views.learn_failures.tables import unused_tokens
from app.views.learn_failures.topics import TOPICS
from engine.config import TrainingSettings
from engine.merges.trainer import train_merges
from engine.pretokenization import get_pretokenizer
from tests.pages import open_page, settle


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_its_text(topic: str) -> None:
    for lang in LANGUAGES:
        assert translate(f"learn_failures.topic.{topic}.title", lang)
        assert len(translate(f"learn_failures.topic.{topic}.text", lang)) > 40
    assert 2 <= len(TOPICS[topic]) <= 12


def test_the_whole_of_the_built_in_texts_is_one_source() -> None:
    parts = [builtin_corpus(name) for name in ("ko", "multi", "web")]
    assert builtin_corpus(ALL).n_chars == sum(part.n_chars for part in parts)


def test_steps_on_the_way_to_longer_tokens_are_unused() -> None:
    lines = ["abab"] * 9
    model = train_merges(lines, TrainingSettings(algorithm="byte-bpe", vocab_size=258, pretokenizer="gpt2"))
    table = unused_tokens(model, lines)
    assert "ab" in table["token"].tolist()
    assert "abab" not in table["token"].tolist()
    assert len(table) == 257


def test_digits_in_threes_are_counted_from_the_right() -> None:
    cut = get_pretokenizer(taught_settings("digits-3", 300).pretokenizer).split
    assert cut("12345678") == ["12", "345", "678"]
    for number in ("1", "12", "123", "1234", "12345", "123456"):
        assert ",".join(cut(number)) == f"{int(number):,}"
    assert len(cut("7" * 20_000)) == 6667
    assert cut("a1234,5678b") == ["a", "1", "234", ",", "5", "678", "b"]


@pytest.mark.usefixtures("shared_registry")
def test_a_line_is_cut_by_every_tokenizer() -> None:
    app = settle(
        open_page("learn_failures", lang="en", topic="special", corpus="ko", models="none", compare="characters.bytes")
    )
    counts = app.dataframe[0].value
    assert counts["text"].tolist()[0] == "<|endoftext|>"
    assert counts.iloc[0].tolist()[1:] == [13, 13, 13, 13]
    assert "<|endoftext|>" in app.code[1].value.split(" | ")
    assert "<|endoftext|>" not in app.code[0].value.split(" | ")
