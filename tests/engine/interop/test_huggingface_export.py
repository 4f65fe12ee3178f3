"""`tokenizer.json`, checked against `tokenizers` itself."""

import json
from copy import copy
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Peer

from engine.config import TrainingSettings
from engine.errors import InputError
from engine.interop.huggingface.exporter import PROFILES, id_of_twin, to_tokenizer_json
from engine.interop.huggingface.vocab_txt import to_vocab_txt
from engine.merge_settings import MergeSettings
from engine.merges.plain import plain_tokenizer
from engine.merges.trainer import train_merges
from engine.merges.vocabulary import Token
from engine.training import start_training
from tests.interop_text import corpus_lines, fuzz_lines

SPECIAL = ("<s>", "<|end|>")


@cache
def model(algorithm: str, vocab_size: int, pretokenizer: str = "thunder-tok", **changes: Any) -> Any:
    settings = TrainingSettings(
        algorithm=algorithm, vocab_size=vocab_size, pretokenizer=pretokenizer, special_tokens=SPECIAL, **changes
    )
    training = start_training(corpus_lines(), settings)
    list(training.rounds())
    return training.model()


def compare(ours: Any, data: bytes, lines: list[str]) -> None:
    theirs = Peer.from_str(data.decode())
    for allow_special in (False, True):
        theirs.encode_special_tokens = not allow_special
        for line in lines:
            expected = ours.encode(line, allow_special=allow_special).ids
            assert theirs.encode(line, add_special_tokens=False).ids == expected, line


FORMS = [
    ("thunder-tok", 1500, "thunder-tok", "byte-level"),
    ("thunder-tok", 1500, "thunder-tok", "byte-fallback"),
    ("thunder-tok", 500, "gpt2", "byte-level"),
    ("thunder-tok", 500, "thunder-tok-readme", "byte-fallback"),
    ("thunder-tok", 1500, "thunder-tok-joined", "byte-fallback"),
    ("unigram", 1200, "whitespace", "byte-level"),
    ("unigram", 1200, "none", "byte-fallback"),
    ("unigram", 1200, r"\p{Hangul}+|\d", "byte-level"),
    ("byte-bpe", 900, "thunder-tok", "byte-level"),
    ("byte-bpe", 900, "gpt2", "byte-level"),
    ("byte-bpe", 900, "cl100k", "byte-level"),
    ("byte-bpe", 900, "o200k", "byte-level"),
    ("superbpe", 900, "gpt2", "byte-level"),
    ("wordpiece", 2500, "thunder-tok", "byte-level"),
    ("wordpiece", 2500, "gpt2", "byte-level"),
]


@pytest.mark.parametrize(("algorithm", "vocab_size", "pretokenizer", "profile"), FORMS)
def test_tokenizers_encodes_as_we_do(algorithm: str, vocab_size: int, pretokenizer: str, profile: str) -> None:
    ours = model(algorithm, vocab_size, pretokenizer)
    lines = corpus_lines()[:30] + fuzz_lines(200, corpus_lines())
    compare(ours, to_tokenizer_json(ours, profile), lines)


@pytest.mark.slow
@pytest.mark.parametrize("form", [0, 1, 8, 12])
def test_tokenizers_encodes_thousands_of_lines_as_we_do(form: int, shared_data: Path) -> None:
    algorithm, _, pretokenizer, profile = FORMS[form]
    lines = corpus_lines(shared_data)
    settings = TrainingSettings(algorithm=algorithm, vocab_size=4000, pretokenizer=pretokenizer)
    training = start_training(lines[:6000], settings)
    list(training.rounds())
    ours = training.model()
    compare(ours, to_tokenizer_json(ours, profile), lines[6000:6500] + fuzz_lines(1500, lines, seed=1))


@pytest.mark.parametrize(
    "marks", [{}, {"end_of_word": "</w>"}, {"continuing": "##"}, {"end_of_word": "$", "continuing": "_"}]
)
def test_bpe_on_characters(marks: dict[str, str]) -> None:
    # With marks, every letter has to occur in every place of a word.
    letters = "가나다라a1."
    words = [*letters, *map("".join, product(letters, repeat=3))] if marks else corpus_lines()
    settings = MergeSettings(algorithm="bpe", vocab_size=None, max_merges=60, pretokenizer="whitespace", **marks)
    ours = train_merges(words * 2, settings)
    theirs = Peer.from_str(to_tokenizer_json(ours).decode())
    theirs.encode_special_tokens = True
    for line in [" ".join(words[i::7]) for i in range(7)] + fuzz_lines(200, words):
        ids = ours.encode(line).ids
        assert theirs.encode(line, add_special_tokens=False).ids == ids, line
        if 0 not in ids and not (marks and line != line.strip()):
            assert theirs.decode(ids, skip_special_tokens=False) == ours.decode(ids), line


def test_a_letter_that_never_ended_a_word_has_a_token_after_ours() -> None:
    ours = model("bpe", 3000, "whitespace")
    twins = id_of_twin(ours)
    assert list(twins) == list(range(3000, 3000 + len(twins))) and len(twins) > 100
    theirs = Peer.from_str(to_tokenizer_json(ours).decode())
    theirs.encode_special_tokens = True
    met = 0
    for line in corpus_lines()[:30] + fuzz_lines(300, corpus_lines()):
        ids = theirs.encode(line, add_special_tokens=False).ids
        met += sum(token_id in twins for token_id in ids)
        assert [twins.get(token_id, token_id) for token_id in ids] == ours.encode(line).ids, line
    assert met


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("normalization", ["nfc", "nfd"])
def test_normalisation_is_in_the_file(profile: str, normalization: str) -> None:
    ours = model("thunder-tok", 700, normalization=normalization)
    compare(ours, to_tokenizer_json(ours, profile), fuzz_lines(100, corpus_lines()))


def test_partial_characters_fit_the_byte_level_profile() -> None:
    ours = model("unigram", 1000, partial_characters=True)
    compare(ours, to_tokenizer_json(ours, "byte-level"), fuzz_lines(200, corpus_lines()))
    if any(len(ours.token_bytes(i)) in (2, 3) and "<0x" in ours.token_label(i) for i in range(ours.vocab_size)):
        with pytest.raises(InputError, match="partial_characters"):
            to_tokenizer_json(ours, "byte-fallback")


@pytest.mark.parametrize("profile", PROFILES)
def test_decoding_gives_the_text_back(profile: str) -> None:
    ours = model("thunder-tok", 1500)
    theirs = Peer.from_str(to_tokenizer_json(ours, profile).decode())
    for line in fuzz_lines(100, corpus_lines()):
        ids = ours.encode(line).ids
        assert theirs.decode(ids, skip_special_tokens=False) == line
    assert [theirs.token_to_id(text) for text in SPECIAL] == [0, 1]


def test_the_same_model_gives_the_same_bytes() -> None:
    ours = model("thunder-tok", 700)
    assert to_tokenizer_json(ours) == to_tokenizer_json(ours)
    assert json.loads(to_tokenizer_json(ours))["added_tokens"][1]["content"] == "<|end|>"


def test_what_cannot_be_written_says_why() -> None:
    words, _, _ = plain_tokenizer(["가 나"], TrainingSettings(algorithm="words"))
    symbol = MergeSettings(algorithm="bpe", vocab_size=None, max_merges=1, end_of_word="_", mark_place="symbol")
    for tokenizer, reason in [
        (words, "choose one of these"),
        (model("thunder-tok", 700, "mecab"), "MeCab"),
        (train_merges(["low low"], symbol), "attached"),
    ]:
        with pytest.raises(InputError, match=reason):
            to_tokenizer_json(tokenizer)
    with pytest.raises(InputError, match="unknown profile"):
        to_tokenizer_json(words, "bytes")


def test_special_tokens_of_unknown_characters_need_bytes() -> None:
    settings = TrainingSettings(vocab_size=700, special_tokens=("<쀍>",))
    training = start_training(corpus_lines(), settings)
    list(training.rounds())
    ours = training.model()
    with pytest.raises(InputError, match="plain text"):
        to_tokenizer_json(ours, "byte-fallback")
    compare(ours, to_tokenizer_json(ours), ["<쀍>", "a<쀍>쀍", "쀍>"])


def test_vocab_txt() -> None:
    ours = copy(model("wordpiece", 2500, "whitespace"))
    labels = to_vocab_txt(ours).decode().split("\n")
    assert labels == [ours.token_label(i) for i in range(ours.vocab_size)] + [""]
    with pytest.raises(InputError, match="only WordPiece vocabularies can be exported"):
        to_vocab_txt(model("byte-bpe", 900))
    for entry in ("a ", "a\u2028b", "a\rb"):
        ours.tokens = [*ours.tokens[:-1], Token(entry, entry.encode())]
        with pytest.raises(InputError, match="line"):
            to_vocab_txt(ours)
    ours.tokens = [*ours.tokens[:-1], ours.tokens[-2]]
    with pytest.raises(InputError, match="both be written"):
        to_vocab_txt(ours)
