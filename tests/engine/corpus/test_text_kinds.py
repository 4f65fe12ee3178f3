"""Texts that people really have: other line ends, cut off or broken files, tables and JSON of other shapes, NFD."""

import gzip
import json
import unicodedata
from pathlib import Path

import pytest

from engine.cli import main
from engine.corpus.files import CorpusFiles
from engine.corpus.metadata import described, open_metadata
from engine.corpus.morphemes.user_dictionary import Weights, parse_user_dictionary
from engine.corpus.reading.read import corpus_parts, decode_bytes, read_corpus
from engine.errors import InputError
from engine.query.near import text_spans
from engine.query.parse import parse_query
from engine.scale import inputs

_LINES = ["나는 학교에 간다", "", "너는?"]


def corpus_lines(data: bytes, name: str, encoding: str | None = None, column: str | None = None) -> list[str]:
    return corpus_parts(data, name, encoding, column)[0]


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
        (
            "가나\n다".encode() + b"\x80\xff" + "라마바사".encode() * 9,
            "file.encoding",
            "byte 0x80 at offset 10, line 2",
        ),
        (b'[{"text": "a"}]', "file.json", "JSON lines"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600_000) + b"HWP Document File V5.00", "file.kind", "HWP"),
        (b"HWP Document File V3.00 \x1a\x01\x02", "file.kind", "HWP"),
        (b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/hwp+zip", "file.kind", "HWP"),
        (b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/epub+zip", "file.kind", "EPUB"),
        (b"{\\rtf1\\ansi a}", "file.kind", "RTF"),
        ("\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n안녕\r\n".encode(), "file.kind", "subtitle"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\n안녕\n".encode(), "file.kind", "subtitle"),
        ("<SAMI>\n<BODY>안녕".encode("cp949"), "file.kind", "subtitle"),
        ("<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n<p>안녕".encode("utf-16"), "file.kind", "HTML"),
        ("\n<html lang='ko'>안녕".encode(), "file.kind", "HTML"),
        ("<?xml version='1.0'?>\n<!-- a -->\n<TEI.2 id='BRAA'>안녕".encode(), "file.kind", "TEI"),
        ("<TEI xmlns='http://www.tei-c.org/ns/1.0'>안녕".encode(), "file.kind", "TEI"),
        ("<?xml version='1.0'?>\n<doc>안녕</doc>".encode(), "file.kind", "XML"),
        ("<doc id='3' title=\"가\">\n나무에 꽃이 피었다.\n".encode() + "꽃\n".encode() * 5000, "file.kind", "XML"),
        ("<text>\n<s>\n나무에\n</s>\n</text>".encode(), "file.kind", "XML"),
        ("<div class=a>안녕</div>\n<p>둘".encode(), "file.kind", "HTML"),
        ("00:00:01.000 --> 00:00:02.000\n안녕\n".encode(), "file.kind", "subtitle"),
        ("0:00:01.000,0:00:02.000\n안녕\n".encode(), "file.kind", "subtitle"),
        ("[00:12.00]안녕\n[00:15.30]다시\n".encode(), "file.kind", "subtitle"),
        ("{0}{25}안녕\n".encode(), "file.kind", "subtitle"),
        (b'{"document": [\n{"form": "a"}\n]}', "file.json", "CSV"),
        (b'[{"text": "a"},', "file.json", "CSV"),  # as the first block of a long one, or cut off
        (b'\n[\n  {\n    "a\\"b": "c",\n', "file.json", "CSV"),
        (b'{"text": "a",\n "more": [1,\n', "file.json", "CSV"),
        ('{"text": "나"}\n\n{"text": "너"}\n'.encode(), "file.json_lines", "column"),
    ],
)
def test_what_is_no_text_is_said(data: bytes, code: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        corpus_lines(data, "a.txt")
    assert error.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        "<b>굵은</b> 글",
        "1\n2\n00:01 --> 끝",
        "{\\frac 1 2}",
        "[가]\n[나]",
        "html",
        "<가>\n나",
        "<s> 나 </s>",
        '["가", "나"]라고',
        '{"가"}: 나',
    ],
)
def test_a_text_with_such_signs_is_one(text: str) -> None:
    assert corpus_lines(text.encode(), "a.txt") == text.split("\n")


_CHINESE = "他们说，这个国家的经济在今年有了很大的发展，人民的生活水平也得到了提高。"
_JAPANESE = "昨日は友だちと映画を見に行きましたが、とても面白かったです。また行きたいと思います。"


_LATE = "An ASCII line.\n" * 9000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (_LATE + _CHINESE, "gb18030"),
        (_LATE + "Les élèves français préfèrent l'été à la forêt, déjà très âgée.", "windows-1252"),
        (_CHINESE, "gb18030"),
        ("他們說，這個國家的經濟在今年有了很大的發展。", "big5"),
        (_JAPANESE, "shift_jis"),
        (_JAPANESE, "euc_jp"),
        ("Les élèves français préfèrent l'été à la forêt, déjà très âgée.", "windows-1252"),
        ("Сегодня хорошая погода, и дети играют в саду.", "windows-1251"),
        ("Сегодня хорошая погода, и дети играют в саду.", "koi8-r"),
        ("나무에 꽃이 피었다. 대한민국의 수도는 서울이다.", "johab"),
    ],
)
def test_what_is_in_another_encoding_is_said_and_read_if_it_is_named(
    text: str, encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "a.txt").write_bytes(data := text.encode(encoding))
    with pytest.raises(InputError, match=f"looks like {encoding}.*encoding") as error:
        corpus_lines(data, "a.txt")
    assert error.value.code == "file.other_encoding"
    with pytest.raises(InputError, match="looks like"):
        inputs.survey([str(path)], None, "none")
    (block,) = inputs.survey([str(path)], None, "none", encoding).blocks
    assert (block.lines() or "").split("\n") == text.split("\n")
    options = ["encode", "--model", "shipped:thunder-tok-8k", str(path), "--first", "9"]
    assert main(options) == 2 and encoding in capsys.readouterr().err
    assert main([*options, "--encoding", encoding]) == 0
    expected = text.split("\n")[0]
    shown = capsys.readouterr().out.split("\n")[0].replace("|", "")
    assert expected.startswith(shown) or "<0x" in shown


@pytest.mark.parametrize("name", ["utf-32", "utf-32-le", "utf-32-be", "iso2022_kr", "iso2022_jp"])
@pytest.mark.parametrize("text", ["한국어 글이다.\n둘째 줄\n", "日本語のテキスト\n"])
def test_rarer_unicode_and_escapes_are_read(name: str, text: str, tmp_path: Path) -> None:
    if name.startswith("iso2022") and (name == "iso2022_kr") != ("한" in text):
        return
    data = text.encode(name)
    assert decode_bytes(data) == (text, name)
    (path := tmp_path / "a.txt").write_bytes(data)
    assert [block.lines() for block in inputs.survey([str(path)], None, "none").blocks] == [text.rstrip("\n")]


@pytest.mark.parametrize(
    "text",
    ["흥?", "꽃", "히히히히히히 재밌었던 영화", "大韓民國은 民主共和國이다.", "뷁?", "ㅋㅋㅋㅋㅋㅋㅋㅋ 짱!짱!짱!"],
)
def test_korean_in_cp949_stays_korean(text: str) -> None:
    assert decode_bytes(text.encode("cp949")) == (text, "cp949")


@pytest.mark.parametrize("text", ["“Hello,” said he, “it’s fine.”", "a naïve café"])
def test_english_with_a_few_other_letters_is_not_korean(text: str) -> None:
    with pytest.raises(InputError, match="looks like windows-1252"):
        decode_bytes(text.encode("windows-1252"))


def test_columns_are_found_however_they_are_composed() -> None:
    assert corpus_lines(f"{_nfd('글')},수\n나무,1\n".encode(), "a.csv", column="글") == ["나무"]
    assert corpus_lines("글,수\n나무,1\n".encode(), "a.csv", column=_nfd("글")) == ["나무"]


@pytest.mark.parametrize("column", ["수", "글"])
def test_no_cell_is_lost_to_an_unquoted_separator(column: str) -> None:
    assert corpus_lines("글,수\n나무,1,\n강\n".encode(), "a.csv", column="글") == ["나무", "강"]
    with pytest.raises(InputError, match="row 3 has 3 cells, but there are 2") as error:
        corpus_lines("글,수\n나무,1\n강에, 배가,1\n".encode(), "a.csv", column=column)
    assert error.value.code == "table.cells"


@pytest.mark.parametrize("column", ["글", "안.글"])
def test_lists_in_any_row_are_said(column: str) -> None:
    rows = ['{"글": "나무", "안": {"글": "강"}}', '{"글": ["나무"], "안": {"글": ["강"]}}']
    for lines in (rows, rows[::-1]):
        with pytest.raises(InputError, match="list") as error:
            corpus_lines("\n".join(lines).encode(), "a.jsonl", column=column)
        assert error.value.code == "jsonl.lists"


def test_korean_corpora_in_cp949_stay_korean(shared_data: Path) -> None:
    for path in sorted(shared_data.glob("ko*.txt")):
        data = path.read_bytes()[:300_000].decode(errors="ignore").encode("cp949", "ignore")
        assert decode_bytes(data)[1] == "cp949", path.name


def test_more_lines_than_fit_into_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.corpus.reading.read.MOST_LINES", 100)
    (path := tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a\n" * 101))
    with pytest.raises(InputError, match="101 lines, and up to 100"):
        read_corpus(path)


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
