"""tiktoken's file of ranks, checked against tiktoken itself."""

import base64
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from engine.config import TrainingSettings
from engine.corpus.pretokens.known_patterns import TIKTOKEN_PATTERNS
from engine.corpus.pretokens.presets import PRESETS
from engine.errors import InputError, ModelFileError
from engine.interop.formats import import_tokenizer
from engine.interop.tiktoken.ranks import from_tiktoken, tiktoken_parameters, to_tiktoken
from engine.merges.bpe import Bpe
from engine.merges.token_parts import index_bytes, two_parts
from engine.model_files import load_tokenizer
from engine.pretokenization import get_pretokenizer
from engine.training import start_training
from tests.interop_text import corpus_lines, fuzz_lines

SPECIAL = ("<s>", "<|end|>")


@cache
def model(pretokenizer: str = "thunder-tok") -> Bpe:
    settings = TrainingSettings(algorithm="byte-bpe", vocab_size=900, pretokenizer=pretokenizer, special_tokens=SPECIAL)
    training = start_training(corpus_lines(), settings)
    list(training.rounds())
    made: Bpe = training.model()
    return made


def peer(data: bytes, pattern: str, special: dict[str, int]) -> tiktoken.Encoding:
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}
    return tiktoken.Encoding("ours", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


def ranks_file(*tokens: bytes) -> bytes:
    every = [bytes([byte]) for byte in range(256)] + list(tokens)
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(every))


def compare(ours: Bpe, lines: list[str]) -> None:
    data = to_tiktoken(ours)
    parameters = tiktoken_parameters(ours)
    theirs = peer(data, *parameters)
    again = from_tiktoken(data, *parameters)
    for line in lines:
        encoding = ours.encode(line)
        assert theirs.encode_ordinary(line) == encoding.ids, line
        assert again.encode(line) == encoding, line
        marked = ours.encode(line, allow_special=True)
        assert theirs.encode(line, allowed_special="all") == marked.ids, line
        assert again.encode(line, allow_special=True) == marked, line


@pytest.mark.slow
# A pattern of the user's own leaves text between its matches, which tiktoken alone would drop.
@pytest.mark.parametrize("pretokenizer", [*PRESETS, *TIKTOKEN_PATTERNS, r"\p{Hangul}+|\d"])
def test_tiktoken_encodes_as_we_do(pretokenizer: str) -> None:
    compare(model(pretokenizer), corpus_lines()[:40] + fuzz_lines(300, corpus_lines()))


@pytest.mark.slow
def test_tiktoken_encodes_thousands_of_lines_as_we_do(shared_data: Path) -> None:
    lines = corpus_lines(shared_data)
    compare(model(), lines[:500] + fuzz_lines(1500, lines, seed=1))


def test_what_comes_back_is_the_same_model() -> None:
    ours = model()
    again = from_tiktoken(to_tiktoken(ours), *tiktoken_parameters(ours))
    assert again.name == ours.name
    assert again.vocab_size == ours.vocab_size
    for token_id in range(ours.vocab_size):
        assert again.token_label(token_id) == ours.token_label(token_id)
        assert again.token_bytes(token_id) == ours.token_bytes(token_id)
    assert to_tiktoken(again) == to_tiktoken(ours)
    assert tiktoken_parameters(again).special_tokens == tiktoken_parameters(ours).special_tokens


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_text_comes_back_and_spans_tile_it(text: str) -> None:
    again = from_tiktoken(to_tiktoken(model()), *tiktoken_parameters(model()))
    ids, spans = again.encode(text)
    assert again.decode(ids) == text
    assert b"".join(text.encode()[begin:end] for begin, end in spans) == text.encode()
    assert [again.token_bytes(i) for i in ids] == [text.encode()[begin:end] for begin, end in spans]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_lines_are_encoded_as_each_is_on_any_number_of_threads(threads: int) -> None:
    again = from_tiktoken(to_tiktoken(model()), *tiktoken_parameters(model()))
    for lines in ([], [""], ["가나"], corpus_lines()[:100] + fuzz_lines(100, corpus_lines())):
        batch = again.encode_lines(lines, threads)
        ids = [batch.ids[begin:end].tolist() for begin, end in pairwise(batch.line_ptr.tolist())]
        assert ids == [again.encode(line).ids for line in lines]


def test_ranks_that_no_training_makes() -> None:
    # `abc` cannot be reached by merges, but is a token as a whole; any two parts make a token; a tie is leftmost.
    data = ranks_file(b"aaa", b"aa", b"abc", b"xy", b"yz", b"xyz", b"zxy")
    theirs, ours = peer(data, r"\w+|\W+", {}), from_tiktoken(data, r"\w+|\W+")
    for text in ["abc", "abcd", "aaaa", "aaaaa", "aaaaaaa", "xyzxy", "xyz", "zxyz", "axyzxyzz", ""]:
        assert ours.encode(text).ids == theirs.encode_ordinary(text), text


# Syllables that share bytes, with a space, a letter and a character of another script beside them.
HANGUL = "가각갃뀀 가a각é一"


@given(st.data())
def test_characters_begin_whole_only_where_their_bytes_would_merge_so(data: st.DataObject) -> None:
    text = data.draw(st.text(HANGUL, min_size=4, max_size=12))
    cuts = st.tuples(st.integers(0, 3 * len(text)), st.integers(2, 7))
    parts = [text.encode()[at : at + size] for at, size in data.draw(st.lists(cuts, max_size=30))]
    characters = data.draw(st.permutations([c.encode()[:size] for c in "가각" for size in (2, 3)] + [" 가".encode()]))
    tokens = dict.fromkeys(part for part in [*characters, *parts] if len(part) > 1)
    file = ranks_file(*tokens)
    theirs, ours = peer(file, r"\s?\S+|\s", {}), from_tiktoken(file, r"\s?\S+|\s")
    for line in (text, text[::-1], *data.draw(st.lists(st.text(HANGUL, max_size=9), max_size=5))):
        assert ours.encode(line).ids == theirs.encode_ordinary(line), (line, list(tokens))


def test_ids_that_are_no_token() -> None:
    tokenizer = from_tiktoken(ranks_file(), special={"<|end|>": 300})
    assert tokenizer.vocab_size == 301
    assert "that of cl100k is used" in tokenizer.unsupported[0]
    assert from_tiktoken(ranks_file(), r"\w+").unsupported == ()
    assert tokenizer.token_label(280) == "<unused 280>"
    assert tokenizer.token_bytes(280) == b""
    assert tokenizer.encode("a<|end|>", allow_special=True).ids == [97, 300]
    assert tokenizer.decode([0xEC, 300]) == "<0xEC><|end|>"


def test_patterns_are_tiktokens_own_and_cut_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its encodings load their ranks from the network when they are asked for; their patterns need none.
    for name in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
        monkeypatch.setattr(openai_public, name, lambda *files, **more: {})
    assert TIKTOKEN_PATTERNS["cl100k"].exact == openai_public.cl100k_base()["pat_str"]
    assert TIKTOKEN_PATTERNS["o200k"].exact == openai_public.o200k_base()["pat_str"]
    gpt2 = openai_public.gpt2()["pat_str"]
    assert gpt2 == openai_public.p50k_base()["pat_str"]
    # As Rust reads $.
    exact = {name: pattern.exact.replace("$", r"\Z") for name, pattern in TIKTOKEN_PATTERNS.items()}
    exact["gpt2"] = gpt2.replace("$", r"\Z")
    for line in [*corpus_lines()[:200], *fuzz_lines(1000, corpus_lines()), "It'S 12345 HTMLPage \r\n /\n  x'LL \n "]:
        for name, pattern in exact.items():
            assert get_pretokenizer(name).split(line) == regex.findall(pattern, line), (name, line)


def test_the_number_of_ranks_tells_tiktokens_own_encodings(tmp_path: Path) -> None:
    many = [bytes([a, b]) for a in range(200) for b in range(250)]
    gpt2 = import_tokenizer(ranks_file(*many))
    assert len(many) == 50_000 and "that of gpt2 is used" in gpt2.unsupported[0]
    assert gpt2.pretokenizer == get_pretokenizer("gpt2")
    (tmp_path / "ranks").write_bytes(ranks_file(b"12", b"123", b"1234"))
    lengths = {}
    for name in ("gpt2", "cl100k", r"\d"):
        tokenizer = load_tokenizer(tmp_path / "ranks", name)
        assert tokenizer.unsupported == ()
        lengths[name] = len(tokenizer.encode("1234").ids)
    assert lengths == {"gpt2": 1, "cl100k": 2, r"\d": 4}


def test_only_byte_level_bpe_can_be_exported() -> None:
    for algorithm, reason in [
        ("thunder-tok", "most probable segmentation"),
        ("bpe", "trained here or read from ranks"),
    ]:
        training = start_training(corpus_lines(), TrainingSettings(algorithm=algorithm, vocab_size=2500))
        list(training.rounds())
        with pytest.raises(InputError, match=reason):
            to_tiktoken(training.model())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "single bytes"),
        (b"\xff\xfe\0", "line 1 is not"),
        (b"YQ== 0 1\n", "line 1 is not"),
        (b"YQ== -1\n", "line 1 is not"),
        (b"YQ== nan\n", "line 1 is not"),
        (b"YQ 0\n", "line 1 is not"),
        (b"YQ== 99999999999999999999\n", "line 1 is not"),
        (b"YQ== 99999999\n", "ranks must not exceed"),
        (b"YQ== 0\nYQ== 1\n", "line 2 of the ranks repeats"),
        (b"YQ== 0\nYg== 0\n", "line 2 of the ranks repeats"),
        (base64.b64encode(b"a" * 5000) + b" 0\n", "tokens must have 1 to"),
        (ranks_file()[:-4], "line 256 is not"),
        (ranks_file()[:-9], "single bytes"),
        (b"a" * (17 << 20), "limit for a file of ranks is"),
    ],
)
def test_damaged_files(data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        from_tiktoken(data)
    assert "\n" not in str(caught.value)


def test_bad_parameters() -> None:
    for special in ({"a": 5}, {"a": -1}, {"": 300}, {"a": 300, "b": 300}):
        with pytest.raises(InputError, match="special token"):
            from_tiktoken(ranks_file(), special=special)
    with pytest.raises(InputError, match="cannot be matched exactly as fancy-regex"):
        from_tiktoken(ranks_file(), pattern="(")


def test_a_pattern_that_matches_nothing_is_not_exported() -> None:
    with pytest.raises(InputError, match="match the empty string"):
        tiktoken_parameters(model(r"\p{L}*"))


@given(st.sets(st.binary(min_size=1, max_size=6).map(lambda token: bytes(byte % 3 for byte in token)), min_size=1))
def test_two_parts_are_all_that_there_are(tokens: set[bytes]) -> None:
    order = sorted(tokens)
    place = {token: i for i, token in enumerate(order)}
    expected = [
        [place[token[:cut]], place[token[cut:]], place[token]]
        for token in order
        for cut in range(1, len(token))
        if token[:cut] in place and token[cut:] in place
    ]
    assert np.stack(two_parts(index_bytes(order)), axis=1).tolist() == expected
