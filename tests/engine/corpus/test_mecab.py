"""Morphemes as pre-tokens, and BPE inside them."""

import builtins
import importlib.util

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.corpus.morphemes import mecab as morphemes
from engine.errors import InputError
from engine.merge_settings import MergeSettings
from engine.merges.trainer import train_merges
from engine.pretokenization import get_pretokenizer
from tests.engine.merges.test_bpe import any_text

few = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

installed = pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed")


@installed
def test_a_space_belongs_to_the_morpheme_after_it() -> None:
    split = get_pretokenizer("mecab").split
    assert split("아버지가 방에  들어가신다.") == ["아버지", "가", " 방", "에", " ", " 들어가", "신다", "."]
    assert split(" 학교에서") == [" 학교", "에서"]
    assert split("\t학교 ") == ["\t", "학교", " "]
    assert split("") == []


@installed
@few
@given(any_text | st.text("가나는을 \0\t\u3000a1.,ㅋ😀\n", max_size=40))
def test_nothing_is_lost(text: str) -> None:
    pieces = get_pretokenizer("mecab").split(text)
    assert "".join(pieces) == text
    assert all(pieces)


@installed
def test_long_lines_are_analysed_in_pieces() -> None:
    text = "학교에서 배운다 " * 300 + "가" * 2500
    assert "".join(get_pretokenizer("mecab").split(text)) == text
    short = get_pretokenizer("mecab").split("학교에서 배운다 " * 20)
    assert get_pretokenizer("mecab").split("학교에서 배운다 " * 300)[:50] == short[:50]


@installed
def test_bpe_inside_morphemes() -> None:
    lines = ["학교에서 배운다.", "학교에 갔다.", "집에서 배운다."] * 3
    model = train_merges(lines, MergeSettings(vocab_size=400, pretokenizer="mecab"))
    assert model.name == "BPE-Mecab"
    text = "학교에서 집에 갔다."
    encoding = model.encode(text)
    assert model.decode(encoding.ids) == text
    assert [model.token_label(i) for i in encoding.ids][:2] == ["학교", "에서"]
    cuts = {len("".join(get_pretokenizer("mecab").split(text)[:k]).encode()) for k in range(9)}
    assert cuts <= {end for _, end in encoding.spans} | {0}


@installed
def test_a_lone_surrogate() -> None:
    with pytest.raises(InputError, match="surrogate"):
        get_pretokenizer("mecab").split("가\ud800")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: object, **options: object) -> object:
        if name == "mecab":
            raise ImportError(name)
        return real(name, *arguments, **options)

    morphemes._tagger.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"python-mecab-ko.*thunder-tok-explorer\[morphology\]"):
        morphemes.morpheme_ends("가")
    morphemes._tagger.cache_clear()
