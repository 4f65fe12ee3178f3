"""The fewest tokens that a vocabulary allows, against every way to cut a short text."""

from collections.abc import Set
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import TrainingSettings
from engine.lattice.lattice import VocabularyLattice
from engine.lattice.vocabulary import Vocabulary
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import floor
from engine.measure.words import find_words
from engine.model_files import tokenizer_from_bytes
from engine.pretokenization import get_pretokenizer
from engine.public.load import load_public
from engine.tokenizer import Tokenizer
from engine.training import train
from engine.vocabulary.fewest import fewest_in_texts, fewest_of_bytes
from engine.vocabulary.trie import build_trie
from tests.engine.test_any_tokenizer import KINDS, TEXT, content
from tests.engine.unigram.test_trainer import sentences

BYTES = [bytes([byte]) for byte in range(256)]
# With these, text may become the unknown token.
WITHOUT = {"bpe", "bpe mecab", "wordpiece", "words", "characters", "tokenizer.json wordpiece", "vocab.txt", "codes"}

short = st.text("ab가각 \U0001f600", max_size=4)
pieces = st.binary(min_size=1, max_size=7) | short.map(str.encode) | short.map(lambda text: text.encode()[1:-1])


def fewest_of_all(data: bytes, tokens: Set[bytes]) -> int:
    """Every set of cuts, the smallest first."""
    for n_cuts in range(len(data)):
        for cuts in combinations(range(1, len(data)), n_cuts):
            if all(data[a:b] in tokens for a, b in pairwise((0, *cuts, len(data)))):
                return n_cuts + 1
    return 0


@settings(max_examples=150)
@given(st.sets(pieces, max_size=8), st.lists(st.text("ab가각 \U0001f600", max_size=4), max_size=3))
def test_the_fewest_of_bytes_are_those_of_all_cuts(tokens: set[bytes], lines: list[str]) -> None:
    vocabulary = tokens | {*BYTES}
    for name in ("gpt2", "none"):
        pretokenizer = get_pretokenizer(name)
        found = fewest_of_bytes(vocabulary, pretokenizer, lines)
        expected = [
            sum(fewest_of_all(part.encode(), vocabulary) for part in pretokenizer.split(line)) for line in lines
        ]
        assert found.tolist() == expected


@given(st.sets(short.filter(bool), max_size=8), st.lists(st.text("ab가각 ", max_size=5), max_size=3), st.booleans())
def test_the_fewest_of_characters_are_those_of_all_cuts(texts: set[str], lines: list[str], has_bytes: bool) -> None:
    trie = build_trie(sorted(texts), np.zeros(len(texts), dtype=np.int32))
    found = fewest_in_texts(lines, trie, has_bytes)
    tokens = {text.encode() for text in texts} | ({*BYTES} if has_bytes else set())
    expected = [fewest_of_all(line.encode(), tokens) for line in lines]
    if any(line and not least for line, least in zip(lines, expected, strict=True)):
        assert found is None
    else:
        assert found is not None and found.tolist() == expected


@pytest.mark.parametrize("partial", [False, True])
def test_a_model_allows_as_few_as_equal_probabilities_take(partial: bool) -> None:
    model = train(sentences(120), TrainingSettings(vocab_size=400, partial_characters=partial))
    assert model.pruning is not None
    own = model.pruning.vocabulary()
    # The most probable path has the fewest tokens.
    equal = Vocabulary(own.tokens, np.full(len(own.tokens), -1.0), own.pretokenizer, partial)
    lines = [*sentences(40), TEXT, "", "\U0001f600쀍 쀍"]
    expected = np.diff(equal.encode_lines(lines)[1]).tolist()
    assert model.fewest_tokens(lines).tolist() == expected
    assert [model.pruning.lattice(line).floor for line in lines] == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lines", [sentences(30), [TEXT]])
def test_what_can_be_unknown_has_no_floor_and_no_other_lies_below_it(kind: str, lines: list[str]) -> None:
    tokenizer = tokenizer_from_bytes(content(kind))
    encoded = encode_lines(tokenizer, lines)
    least = tokenizer.fewest_tokens(encoded.seen)
    is_lost = tokenizer.unknown_id is not None and tokenizer.unknown_id in encoded.ids
    assert (least is None) == (kind in WITHOUT or is_lost)
    if least is not None:
        assert (least <= encoded.per_line).all() and (least > 0).all()
        cut = tokenizer.encode_lines(encoded.seen).cut
        assert tokenizer.fewest_tokens(encoded.seen, cut).tolist() == least.tolist()


def surfaces(tokenizer: Tokenizer) -> set[bytes]:
    return {tokenizer.token_bytes(i) for i in range(tokenizer.vocab_size)}


def test_the_floor_of_a_public_tokenizer() -> None:
    tokenizer = load_public("gpt2")
    lines = ["안녕!", " tokenization 1234", "unbelievable cannot"]
    tokens, pretokenizer = surfaces(tokenizer), get_pretokenizer("gpt2")
    expected = [sum(fewest_of_all(part.encode(), tokens) for part in pretokenizer.split(line)) for line in lines]
    encoded = encode_lines(tokenizer, lines)
    found = floor(encoded, find_words(lines))
    assert found is not None and tokenizer.fewest_tokens(lines) is not None
    assert found.fertility.value == sum(expected) / 5
    assert found.above.value == encoded.n_tokens / sum(expected) - 1


@given(st.text("ab가각", max_size=6), st.booleans())
def test_the_floor_of_a_lattice_is_that_of_all_its_paths(text: str, partial: bool) -> None:
    runs = [b"ab", "가각".encode(), "각a".encode()] + (["가".encode()[:2], "각".encode()[1:]] if partial else [])
    log_prob = np.concatenate([np.full(256, -1.0), np.full(len(runs), -9.0)])
    lattice = VocabularyLattice(Vocabulary(BYTES + runs, log_prob, get_pretokenizer("none"), partial), text)
    tokens = {*BYTES, *runs}
    assert lattice.floor == fewest_of_all(text.encode(), tokens)
    path = lattice.fewest_tokens()
    assert "".join(text[lattice.begin[arc] : lattice.end[arc]] for arc in path) == text
    if not partial:  # otherwise the best way to write a character may have more tokens than the shortest
        assert lattice.n_tokens(path) == lattice.floor


def test_a_character_in_bytes_costs_its_bytes() -> None:
    vocabulary = Vocabulary([*BYTES, b"ab", b"bcd"], np.full(258, -1.0), get_pretokenizer("none"), False)
    equal = VocabularyLattice(vocabulary, "abcd")
    assert equal.floor == 2 and equal.fewest_tokens() == equal.best_path
    tokens = [*BYTES, "가나".encode(), "나다".encode(), "다".encode()]
    least = VocabularyLattice(
        Vocabulary(tokens, np.array([-1.0] * 256 + [-9.0, -1.0, -9.0]), get_pretokenizer("none"), False), "가나다"
    )
    assert least.n_tokens(least.best_path) == 4  # 가 in three bytes, 나다
    assert least.floor == 2 and [least.label(arc) for arc in least.fewest_tokens()] == ["가나", "다"]


def test_the_floor_needs_no_probabilities() -> None:
    tokens = [*BYTES, b"ab", b"bc"]
    impossible = Vocabulary(tokens, np.full(len(tokens), -np.inf), get_pretokenizer("none"), False)
    lattice = VocabularyLattice(impossible, "abc")
    assert lattice.best_path == [] and lattice.floor == 2 == len(lattice.fewest_tokens())
    nothing = VocabularyLattice(impossible, "")
    assert nothing.floor == 0 and nothing.fewest_tokens() == []
