"""Texts that people really have: other line ends, cut off or broken files, tables and JSON of other shapes, NFD."""

import json
import unicodedata
from pathlib import Path

import pytest

from engine.corpus.files import CorpusFiles
from engine.corpus.metadata import described, open_metadata
from engine.corpus.morphemes.user_dictionary import Weights, parse_user_dictionary
from engine.corpus.reading.read import corpus_lines, read_corpus
from engine.errors import InputError
from engine.query.near import text_spans
from engine.query.parse import parse_query
from engine.scale import inputs

_LINES = ["나는 학교에 간다", "", "너는?"]


def _nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = end.join([*_LINES, ""])
    assert corpus_lines(text.encode(), "a.txt") == _LINES
    assert corpus_lines(f'text{end}"가{end}나"{end}다{end}'.encode(), "a.csv") == ["가", "나", "다"]
    assert corpus_lines(f"text{end}가{end}나{end}".encode(), "a.tsv") == ["가", "나"]
    assert corpus_lines(json.dumps({"text": f"가{end}나"}).encode(), "a.jsonl") == ["가", "나"]
    (path := tmp_path / "a.txt").write_bytes(text.encode() * 20)
    whole = inputs.survey([str(path)], None, "none")
    for size in range(1, 60):  # a block may end between \r and \n
        monkeypatch.setattr(inputs, "BLOCK_BYTES", size)
        cut = inputs.survey([str(path)], None, "none")
        assert cut.fingerprint == whole.fingerprint
        assert [line for block in cut.blocks for line in (block.lines() or "").split("\n")] == _LINES * 20


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        ("가나\n다".encode() + b"\xff\n", "file.encoding", "byte 0xFF at offset 10, line 2"),
        ("\ufeff가나\n다".encode() + b"\xff\n", "file.encoding", "byte 0xFF at offset 13, line 2"),
        ("가나\n다라".encode()[:-1], "file.cut_off", "offset 10, line 2"),
        (b'[{"text": "a"}]', "file.json", "JSON lines"),
        (b'{"document": [\n{"form": "a"}\n]}', "file.json", "CSV"),
    ],
)
def test_what_is_no_text_is_said(data: bytes, code: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        corpus_lines(data, "a.txt")
    assert error.value.code == code


def test_a_list_in_json_lines_is_no_text() -> None:
    data = b'{"id": "1", "messages": [{"content": "a"}]}\n'
    for column in ("messages", None):
        with pytest.raises(InputError, match="messages contains a list") as error:
            corpus_lines(
                data.replace(b'"id": "1", ', b"" if column is None else b'"id": "1", '), "a.jsonl", None, column
            )
        assert error.value.code == "jsonl.lists"


@pytest.mark.parametrize("content", ["id|label|text\n1|x|가, 나\n", "sep=;\nid;label;text\n1;x;가, 나\n"])
def test_other_delimiters_of_csv(content: str) -> None:
    assert corpus_lines(content.encode(), "a.csv", None, "text") == ["가, 나"]


def test_a_column_of_a_plain_text_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "ratings.txt").write_text("id\tdocument\n1\t가\n")
    with pytest.raises(InputError, match="no column 'document'"):
        read_corpus(path, column="document")


def test_names_values_and_columns_are_compared_in_nfc() -> None:
    table = open_metadata("file,register\n소설.txt,소설\n신문.txt,신문\n".encode(), "about.csv")
    for form in (str, _nfd):
        files, odd = described(CorpusFiles.of({form("소설.txt"): 1, form("신문.txt"): 2}), table, "")
        assert not odd
        assert files.choose({"register": [_nfd("소설")]}) == files.choose({"register": ["소설"]}) == (0,)


def test_a_period_of_many_digits_is_refused() -> None:
    with pytest.raises(InputError, match="digits"):
        CorpusFiles.of({"a": 1}, {"year": ("1999",)}).choose({"year": ["1.." + "9" * 5000]})


def test_a_text_is_found_whatever_its_form() -> None:
    lines = ["학교와 학교에서", _nfd("학교와 학교에서"), "a학"]
    expected = [(0, 0, 6), (0, 10, 16), (1, 0, 15), (1, 22, 37)]
    for query in ("학교", _nfd("학교")):
        assert list(zip(*(column.tolist() for column in text_spans(lines, query)), strict=True)) == expected


@pytest.mark.parametrize("quoted", ["“학교”", "‘학교’", "«학교»", "＂학교＂", "'학교'", "「학교」", '“학교"'])
def test_typographic_quotation_marks_quote(quoted: str) -> None:
    assert parse_query(f"[word={quoted}]").tree == parse_query('[word="학교"]').tree


@pytest.mark.parametrize("marks", ["?" * 296, "?" * 990, "(" * 20 + '"a"' + ")?" * 20 + "?" * 60])
def test_repetitions_of_repetitions_are_bounded(marks: str) -> None:
    with pytest.raises(InputError) as error:
        parse_query(marks if marks[0] == "(" else f'"a"{marks}')
    assert error.value.code == "query.marks"


def test_a_dictionary_is_read_in_nfc_and_refused_with_a_sentence() -> None:
    tags = {"NNG": Weights(-10, 10, False)}
    assert parse_user_dictionary([_nfd("갓생,NNG")], tags) == parse_user_dictionary(["갓생,NNG"], tags)
    for line in ('"갓생,NNG', f'"{"가" * 200_000}",NNG', "갓\r생,NNG"):
        with pytest.raises(InputError) as error:
            parse_user_dictionary([line], tags)
        assert error.value.code.startswith("user_dictionary.")
