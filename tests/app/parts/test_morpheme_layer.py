"""The row of morphemes under a strip, and the classes of its tokens."""

from collections import Counter

import pytest

from app.components.pictures import strip_payload
from app.parts.tables.morphemes import beginning_of, class_examples, class_table, morpheme_row
from app.parts.tables.segmentation import TextPart, segment
from app.parts.tables.strips import token_row
from app.texts.catalogue import catalogue
from engine.corpus.morphemes.morpheme import Morpheme
from engine.measure.morphemes.analysis import morpheme_analysis
from engine.measure.morphemes.tags import SEJONG_TAGS
from engine.measure.morphemes.token_classes import CLASSES, token_classes
from tests.engine.measure.test_measure import Cutter

TEXT = "나는 갔다.\n집에서"
MORPHEMES = [
    Morpheme(0, 1, "NP", "나"),
    Morpheme(1, 2, "JX", "는"),
    Morpheme(3, 4, "VV+EP", "가+았"),
    Morpheme(4, 5, "EF", "다"),
    Morpheme(5, 6, "SF", "."),
    Morpheme(7, 8, "NNG", "집"),
    Morpheme(8, 10, "JKB", "에서"),
]


def test_the_row_has_the_morphemes_of_its_part_with_their_tags() -> None:
    row = morpheme_row(MORPHEMES, TextPart(0, 0, 1, 9), "m", "n", str.lower, {(3, 6)})
    shown = [(one["label"], one["b"], one["e"], one["tag"], one["part"], one["kind"]) for one in row["tokens"]]
    assert shown == [
        ("는", 0, 1, "JX", "ending", ""),
        ("가+았", 2, 3, "VV+EP", "both", "corrected"),
        ("다", 3, 4, "EF", "ending", "corrected"),
        (".", 4, 5, "SF", "symbol", "corrected"),
        ("집", 6, 7, "NNG", "stem", ""),
        ("에서", 7, 8, "JKB", "ending", ""),
    ]
    assert row["tokens"][1]["about"] == "vv+ep" and row["kind"] == "morphemes"
    payload = strip_payload([row], list(TEXT[1:9]))
    assert payload["rows"][0]["some"]["tag"]["0"] == "JX"


@pytest.mark.parametrize("name", ["token_class", "part"])
def test_a_class_that_there_is_not_is_refused(name: str) -> None:
    row = morpheme_row(MORPHEMES, TextPart(0, 0, 0, 10), "m", "n", str)
    row["tokens"][0][name] = "verb"
    with pytest.raises(ValueError, match="verb"):
        strip_payload([row], list(TEXT))


def test_tokens_of_several_lines_have_their_classes() -> None:
    tokens = {
        "나": "morpheme",
        "는": "morpheme",
        " 갔다": "stem_ending",
        ".": "morpheme",
        "\n": "",
        "집에": "cut",
        "서": "cut",
    }
    tokenizer = Cutter(*tokens)
    segmentation = segment(tokenizer, TEXT)
    classes = token_classes(segmentation.byte_begin, segmentation.byte_end, morpheme_analysis([TEXT], [MORPHEMES]))
    row = token_row(tokenizer, segmentation, TextPart(0, len(tokens), 0, len(TEXT)), "n", "", classes=classes)
    assert [one["token_class"] for one in row["tokens"]] == list(tokens.values())
    table = class_table(["a", "b"], [classes, classes[:2]])
    counts = Counter(tokens.values())
    assert table[list(CLASSES)].to_numpy().tolist() == [[counts[name] for name in CLASSES], [2, 0, 0, 0, 0]]
    assert class_examples(tokenizer, segmentation, classes, 2) == ["나 · 는", "␣갔다", "", "집에 · 서", ""]


def test_what_lies_after_the_analysed_beginning_has_no_class() -> None:
    segmentation = segment(Cutter("나", "는", " 갔다", "집에서"), TEXT)
    begun = beginning_of(TEXT, 5)
    assert begun == "나는"
    classes = token_classes(segmentation.byte_begin, segmentation.byte_end, morpheme_analysis([begun], [MORPHEMES[:2]]))
    assert [CLASSES[code] if code >= 0 else "" for code in classes] == ["morpheme", "morpheme"] + [""] * 4


def test_the_beginning_of_a_text_ends_after_an_eojeol() -> None:
    assert beginning_of("나는 갔다", 5) == "나는 갔다"
    assert beginning_of("나는 갔다 또", 5) == "나는 갔다"
    assert beginning_of("가" * 9, 5) == "가" * 5
    assert beginning_of("", 5) == ""


def test_every_tag_is_explained() -> None:
    known = {key.removeprefix("morpheme.tag.") for key in catalogue() if key.startswith("morpheme.tag.")}
    assert known == SEJONG_TAGS
