"""What tokens are in the grammar, against a slow classification token by token."""

import importlib.util
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.measure.encoded import encode_lines
from engine.measure.morphemes.analysis import Analysis, gold_analysis, silver_analysis
from engine.measure.morphemes.gold import GoldSentence, GoldWord
from engine.measure.morphemes.tags import ENDING, STEM, kind_of_tag
from engine.measure.morphemes.token_classes import (
    ACROSS,
    CLASSES,
    CUT,
    MORPHEME,
    NONE,
    SEVERAL,
    STEM_ENDING,
    token_classes,
    usual_classes,
)
from tests.engine.measure.test_measure import Cutter

installed = pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed")

# Eojeols by their morphemes and tags; the last cannot be laid onto its surface.
WORDS = {
    "나는": "나/NP 는/JX",
    "공부했다.": "공부/NNG 하/XSV 았/EP 다/EF ./SF",
    "갔다": "가/VV 았/EP 다/EF",
    "집에서는": "집/NNG 에서/JKB 는/JX",
    "서울입니다": "서울/NNP 이/VCP ㅂ니다/EF",
    "물고기": "물/NNG 고기/NNG",
    "a": "a/",
    "하지": "하/VV",
}


def gold_of(*sentences: list[str]) -> list[GoldSentence]:
    gold = []
    for own in sentences:
        words, at = [], 0
        for surface in own:
            morphemes, tags = zip(*(part.split("/") for part in WORDS[surface].split()), strict=True)
            words.append(GoldWord(surface, morphemes, at, tags))
            at += len(surface) + 1
        gold.append(GoldSentence(" ".join(own), words))
    return gold


def classes_of(tokenizer: Cutter, analysis: Analysis) -> np.ndarray:
    encoded = encode_lines(tokenizer, analysis.lines)
    return token_classes(encoded.begin, encoded.end, analysis)


def test_classes_by_hand() -> None:
    tokens = {
        "나": MORPHEME,
        "는": MORPHEME,
        " 공부": MORPHEME,
        "했다": STEM_ENDING,
        ".": MORPHEME,
        " 갔다": STEM_ENDING,
        " ": NONE,
        "서울": MORPHEME,
        "입니다": SEVERAL,
        " 물고기 ": SEVERAL,
        "집에": CUT,
        "서는": CUT,
        " 하지": NONE,
    }
    analysis = gold_analysis(gold_of(["나는", "공부했다.", "갔다", "서울입니다", "물고기", "집에서는", "하지"]))
    assert classes_of(Cutter(*tokens), analysis).tolist() == list(tokens.values())
    whole = {"나는": STEM_ENDING, " 공부했다": STEM_ENDING, ". 갔": ACROSS, "다": MORPHEME}
    analysis = gold_analysis(gold_of(["나는", "공부했다.", "갔다"]))
    assert classes_of(Cutter(*whole), analysis).tolist() == list(whole.values())
    analysis = gold_analysis(gold_of(["공부했다.", "집에서는"]))
    assert classes_of(Cutter("공부했다.", " 집에서는"), analysis).tolist() == [SEVERAL, STEM_ENDING]
    # The bytes of a character are inside a morpheme; a piece of two morphemes is no morpheme.
    assert classes_of(Cutter(), gold_analysis(gold_of(["나는"]))).tolist() == [CUT] * 6
    assert classes_of(Cutter("갔", "다"), gold_analysis(gold_of(["갔다"]))).tolist() == [STEM_ENDING, MORPHEME]


def slow_classes(tokenizer: Cutter, analysis: Analysis) -> list[int]:
    """One token at a time, from the definition."""
    words = list(zip(analysis.word_begin.tolist(), analysis.word_end.tolist(), strict=True))
    pieces = list(zip(analysis.begin.tolist(), analysis.end.tolist(), strict=True))
    classes, base = [], 0
    for line in analysis.lines:
        for begin, end in tokenizer.encode(line).spans:
            bytes_of = set(range(base + begin, base + end))
            touched = [k for k, (a, b) in enumerate(words) if bytes_of & set(range(a, b))]
            if len(touched) != 1:
                classes.append(ACROSS if touched else NONE)
                continue
            if not analysis.aligned[touched[0]]:
                classes.append(NONE)
                continue
            own = bytes_of & set(range(*words[touched[0]]))
            held = [k for k, (a, b) in enumerate(pieces) if own & set(range(a, b))]
            if own != {byte for k in held for byte in range(*pieces[k])}:
                classes.append(CUT)
                continue
            kinds = [kind_of_tag(part) for k in held for part in analysis.tags[analysis.tag[k]].split("+")]
            runs = [kind for kind, _ in itertools.groupby(kinds)]
            if sum(analysis.size[held]) == 1:
                classes.append(MORPHEME)
            else:
                classes.append(STEM_ENDING if runs == [STEM, ENDING] else SEVERAL)
        base += len(line.encode())
    return classes


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from(sorted(WORDS)), max_size=5), min_size=1, max_size=3),
    st.lists(st.text("나는 갔다했.집에서공부하지물고기서울입니a", min_size=1, max_size=5), max_size=10),
)
def test_classes_are_those_of_a_slow_count(sentences, tokens) -> None:
    analysis, tokenizer = gold_analysis(gold_of(*sentences)), Cutter(*tokens)
    classes = classes_of(tokenizer, analysis)
    assert classes.tolist() == slow_classes(tokenizer, analysis)
    encoded = encode_lines(tokenizer, analysis.lines)
    usual = usual_classes(encoded.ids, classes, tokenizer.vocab_size)
    for token_id in range(tokenizer.vocab_size):
        own = classes[(encoded.ids == token_id) & (classes != NONE)]
        counts = [int((own == number).sum()) for number in range(len(CLASSES))]
        assert usual[token_id] == (counts.index(max(counts)) if own.size else NONE)


@installed
@settings(max_examples=40)
@given(
    st.text("나는 갔다했.집에서\t\u3000공부a1", max_size=30),
    st.lists(st.text("나는갔다 집에서공", min_size=1, max_size=4)),
)
def test_classes_by_mecab_of_any_text(text: str, tokens: list[str]) -> None:
    analysis, tokenizer = silver_analysis([text, "집에서"]), Cutter(*tokens)
    assert classes_of(tokenizer, analysis).tolist() == slow_classes(tokenizer, analysis)
