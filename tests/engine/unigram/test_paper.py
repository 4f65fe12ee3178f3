"""What the paper claims, on large real corpora: slow, and only where these corpora are. `-rP` shows the figures."""

import itertools
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from engine.config import TrainingSettings
from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.reading.read import read_lines
from engine.unigram.model.levels import is_multi_word, is_punctuated_word
from engine.unigram.model.model import Model
from engine.unigram.train.trainer import build_corpus, train

pytestmark = pytest.mark.slow

_SENTENCE = "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다."

# Every 50th line is held back from training and measured on.
_STEP = 50


def _split(lines: list[str]) -> tuple[list[str], list[str]]:
    kept = [line for i, line in enumerate(lines) if i % _STEP]
    return kept, lines[::_STEP]


def _fertility(count: int, lines: list[str]) -> float:
    return count / sum(len(line.split()) for line in lines)


@pytest.fixture(scope="module")
def texts(shared_data: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Training and held-back lines by corpus."""
    names = ("ko_reviews_10mb", "ko_formal", "ko_literature")
    return {name: _split(read_lines(shared_data / f"{name}.txt")) for name in names}


@pytest.fixture(scope="module")
def thunder_tok(texts: dict[str, tuple[list[str], list[str]]]) -> Callable[[int], Model]:
    """The model of all lines for training, of a vocabulary size."""

    def trained(vocab_size: int) -> Model:
        settings = TrainingSettings(vocab_size=vocab_size)
        return train(build_corpus(_all_kept(texts), settings), settings, threads=2)

    return cache(trained)


def _all_kept(texts: dict[str, tuple[list[str], list[str]]]) -> list[str]:
    return [line for kept, _ in texts.values() for line in kept]


def test_the_sentence_of_table_2(thunder_tok: Callable[[int], Model]) -> None:
    model = thunder_tok(32_000)
    ids = model.encode(_SENTENCE).ids
    tokens = [model.token_bytes(token_id) for token_id in ids]
    print(f"{'|'.join(token.decode() for token in tokens)}: {len(ids)} tokens (the paper's: 10)")
    assert b"".join(tokens).decode() == _SENTENCE
    assert any(is_multi_word(token) for token in tokens)
    assert any(is_punctuated_word(token) for token in tokens)
    # The paper's Unigram needs 14 and its BPE-Mecab 15, with 128,000 tokens trained on a million documents.
    assert len(ids) <= 15


def _byte_bpe(lines: list[str], vocab_size: int) -> Tokenizer:
    """Byte-level BPE with GPT-2's pre-tokenization, trained by `tokenizers` on the same lines."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PRESETS["gpt2"].pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def _lone_spaces_before_digits(model: Model, lines: list[str]) -> int:
    """Tokens that Thunder-Tok's pattern spends and GPT-2's does not: its digits take no leading space."""
    count = 0
    for line in lines:
        labels = [model.token_label(token_id) for token_id in model.encode(line).ids]
        count += sum(a == " " and b[0].isdigit() for a, b in itertools.pairwise(labels))
    return count


@pytest.mark.parametrize(
    ("vocab_size", "at_most"), [pytest.param(16_000, 1.005, marks=pytest.mark.scale), (32_000, 0.995)]
)
def test_fertility_beside_byte_level_bpe(
    texts: dict[str, tuple[list[str], list[str]]], thunder_tok: Callable[[int], Model], vocab_size: int, at_most: float
) -> None:
    """The gain grows with the vocabulary, as in the paper (about 10 % at 128,000 with a million documents).

    On formal text it is lost to the pattern: every number after a space costs a token for the space. Without these
    Thunder-Tok is below there too.
    """
    model, bpe = thunder_tok(vocab_size), _byte_bpe(_all_kept(texts), vocab_size)
    ours, theirs = 0, 0
    for name, (_, held_back) in texts.items():
        count = sum(len(model.encode(line).ids) for line in held_back)
        peer = sum(len(encoding.ids) for encoding in bpe.encode_batch(held_back))
        spaces = _lone_spaces_before_digits(model, held_back)
        print(
            f"{vocab_size} on {name}: Thunder-Tok {_fertility(count, held_back):.4f}, "
            f"BPE {_fertility(peer, held_back):.4f} tokens a word; "
            f"{spaces / count:.1%} of Thunder-Tok's are lone spaces before digits"
        )
        assert count - spaces < peer
        ours += count
        theirs += peer
    assert ours < at_most * theirs
