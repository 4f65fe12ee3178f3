"""The failure modes page: every topic has its text, every variant is cut, and unused tokens are counted."""

import pytest

from app.session import state
from app.session.comparison import taught_settings
from app.texts.catalogue import LANGUAGES, translate
from app.texts.corpora import ALL, builtin_corpus
from app.views.learn_failures.tables import misread, unused_tokens
from app.views.learn_failures.topics import TOPICS
from engine.config import TrainingSettings
from engine.interop.tiktoken_ranks import TiktokenBpe
from engine.merges.trainer import train_merges
from engine.merges.utf8 import Utf8Bytes
from engine.pretokenization import get_pretokenizer
from engine.public.load import load_public
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


def test_ids_are_read_with_another_vocabulary() -> None:
    reader = Utf8Bytes()
    assert misread(reader, list("가 a".encode())) == ("가␣a", 5)
    assert misread(reader, [0xEA, 0xB0, 300, 0x80, 65, -1, 256]) == ("<0xEA><0xB0>⟦300⟧<0x80>A⟦-1⟧⟦256⟧", 4)
    # A vocabulary may hold the mark of broken text itself.
    assert misread(reader, [0xEF, 0xBF, 0xBD, 10]) == ("<0xEF><0xBF><0xBD><0x0A>", 4)
    assert misread(reader, []) == ("", 0)
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 300}
    gap = misread(TiktokenBpe(ranks, "gpt2", {"<|end|>": 301}), [300, 299, 301, 302])
    assert gap == ("ab⟦299⟧<|end|>⟦302⟧", 2)


@pytest.mark.usefixtures("shared_registry")
def test_any_two_of_the_chosen_tokenizers_are_a_wrong_pair() -> None:
    link = {"topic": "wrong_pairs", "models": "gpt2", "compare": "bytes", "text": state.pack_text("한국어")}
    app = settle(open_page("learn_failures", lang="en", corpus="ko", writer="2", **link))
    model, ids = load_public("gpt2"), load_public("gpt2").encode("한국어").ids
    # Bytes have the ids 0 to 255 only.
    assert [one.value for one in app.code] == [" ".join(map(str, ids)), misread(Utf8Bytes(), ids).text]
    assert f"⟦{max(ids)}⟧" in app.code[1].value
    app.selectbox(key="row.writer").set_value(0).run()
    data = list("한국어".encode())
    assert [one.value for one in app.code] == [" ".join(map(str, data)), misread(model, data).text]
    alone = open_page("learn_failures", lang="en", topic="wrong_pairs", models="gpt2")
    assert translate("learn_failures.wrong.two", "en") in [one.value for one in alone.info]


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
