"""The merges of a text, one after another: they begin with its symbols and end with its tokens."""

from itertools import pairwise

import pytest

from engine.merge_settings import MergeSettings
from engine.merges.trainer import train_merges
from engine.public.load import is_available, load_public
from engine.shipped.catalogue import load_shipped
from engine.tokenizer import Encoding, Tokenizer

_TEXTS = ["고구마는 맛있다.", "  the cat\n\n쀍 😀!", "abababab", "a", "", "가" * 60]


def _all(tokenizer: Tokenizer, text: str) -> Encoding:
    """The tokens of all words after their last merge."""
    words = tokenizer.merge_steps(text)
    assert words is not None
    last = [word[-1].encoding for word in words]
    return Encoding([i for one in last for i in one.ids], [span for one in last for span in one.spans])


def _check(tokenizer: Tokenizer, text: str) -> None:
    expected = tokenizer.encode(text)
    assert _all(tokenizer, text) == expected
    for word in tokenizer.merge_steps(text) or []:
        assert word[0].number == 0
        for before, after in pairwise(word):
            # One token takes the place of two, over the same bytes.
            (made,) = set(after.encoding.spans) - set(before.encoding.spans)
            begin, end = made
            parts = [span for span in before.encoding.spans if begin <= span[0] and span[1] <= end]
            assert len(parts) == 2 and parts[0][1] == parts[1][0]
            assert (parts[0][0], parts[1][1]) == made and len(after.encoding.ids) == len(before.encoding.ids) - 1
            assert after.number > 0


@pytest.mark.slow
@pytest.mark.parametrize("text", _TEXTS)
def test_shipped_bpe(text: str) -> None:
    _check(load_shipped("byte-bpe-32k"), text)


@pytest.mark.slow
@pytest.mark.parametrize("text", _TEXTS)
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
def test_tokenizers_of_public_models(name: str, text: str) -> None:
    if not is_available(name):
        pytest.skip("its vocabulary is not installed")
    _check(load_public(name), text)


def test_the_first_merges_of_gpt2_are_numbered_as_in_its_file() -> None:
    # The file of GPT-2 begins with the merges of a space and t, of a space and a, and of h and e.
    ((start, first, second, last),) = load_public("gpt2").merge_steps(" the") or []
    assert [step.number for step in (start, first, second)] == [0, 1, 3]
    assert last.encoding.spans == [(0, 4)]


@pytest.mark.parametrize("mark", [{}, {"end_of_word": "</w>"}, {"end_of_word": "_", "mark_place": "symbol"}])
def test_characters_with_marks(mark: dict[str, str]) -> None:
    settings = MergeSettings(algorithm="bpe", vocab_size=None, max_merges=12, pretokenizer="whitespace", **mark)
    tokenizer = train_merges(["low lower lowest", "new newer newest"] * 3, settings)
    words = tokenizer.merge_steps("lowest xnewer") or []
    assert len(words) == 2 and max(len(word) for word in words) > 3
    assert [i for word in words for i in word[-1].encoding.ids] == tokenizer.encode("lowest xnewer").ids


@pytest.mark.slow
def test_others_have_none() -> None:
    for name in ("thunder-tok-8k", "unigram-32k", "wordpiece-32k"):
        assert load_shipped(name).merge_steps("고구마") is None
