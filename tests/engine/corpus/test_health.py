"""The corpus health card, against counting by hand."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.health import LONG_LINE, code_point_counts, corpus_health

LONG = "가" * (LONG_LINE + 1)


def test_every_count_has_its_example() -> None:
    decomposed = unicodedata.normalize("NFD", "말")
    text = f"한국어 漢字 text\n한국어 漢字 text\n\n{decomposed}\na\x00b\x1b\tc\r\n깨\ufffd짐\n{LONG}\nЖ ฃ ა ᚠ"
    health = corpus_health(text)
    assert (health.n_lines, health.n_empty, health.n_duplicates) == (7, 1, 1)
    assert (health.n_long, health.longest) == (1, LONG_LINE + 1)
    assert (health.n_controls, health.n_replacements, health.n_not_nfc) == (2, 1, 1)
    scripts = dict(health.scripts)
    assert scripts == {
        "Hangul": LONG_LINE + 12,
        "Latin": 11,
        "Han": 4,
        "Cyrillic": 1,
        "Thai": 1,
        "Georgian": 1,
        "other": 1,
    }
    assert next(iter(scripts)) == "Hangul" and list(scripts)[-1] == "other"


def test_an_empty_corpus_is_healthy() -> None:
    assert corpus_health("")[:8] == (0, 0, 0, 0, 0, 0, 0, 0)


@given(st.text(st.characters(), max_size=50))
def test_code_points_are_counted(text: str) -> None:
    counts = code_point_counts(text)
    assert {chr(code): counts[code] for code in counts.nonzero()[0]} == {char: text.count(char) for char in text}


@given(st.text(st.sampled_from("가a \n\r\t\x00漢\ud800\ufffd"), max_size=30))
def test_any_text_has_a_health(text: str) -> None:
    health = corpus_health(text)
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)
    assert health.n_lines + health.n_empty == len(lines)
    assert health.n_replacements == text.count("\ufffd")
