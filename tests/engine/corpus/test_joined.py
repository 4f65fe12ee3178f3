"""Archives, divided tables and Korean corpora's own formats: what is read, what is bounded, what is said."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from engine.cli import main
from engine.corpus.joined import Reading, join_files
from engine.corpus.reading.archives import MOST_FILES, read_archive
from engine.corpus.reading.read import read_corpus, read_parts, untagged
from engine.corpus.reading.unpack import SizeError
from engine.errors import InputError

_TABLE = "text,register,year\n" + "".join(f"글 {i},{'ab'[i % 2]},{2000 + i // 4}\n" for i in range(8))
_NIKL = {
    "metadata": {"category": "구어"},
    "document": [
        {"metadata": {"topic": topic, "date": "20190102"}, "utterance": [{"form": f"{topic} {i}"} for i in range(2)]}
        for topic in ("음식", "여행")
    ],
}


def _zip(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_an_archive_is_bounded_in_files_size_and_ratio() -> None:
    for data, most, code in (
        (_zip({f"{i}.txt": "" for i in range(MOST_FILES + 1)}), 10**6, "archive.files"),
        (_zip({"a.txt": "x" * 2000, "b.txt": "x" * 2000}), 3000, "file.large"),
        (_zip({"a.txt": bytes(20_000_000)}), 10**9, "archive.ratio"),
        (_zip({"a.txt": "x"})[:-9], 10**6, "archive.damaged"),
    ):
        with pytest.raises(InputError) as refused:
            read_archive(data, most)
        assert refused.value.code == code


def test_what_is_not_read_in_an_archive_is_named_and_the_rest_is_kept() -> None:
    files: dict[str, str | bytes] = {
        "a.txt": "하나",
        "in/b.zip": _zip({"c.txt": "둘"}),
        "d.docx": _zip({"[Content_Types].xml": ""}),
    }
    joined = join_files([("x.zip", _zip({**files, "__MACOSX/a.txt": "x", ".DS_Store": "x"}))], Reading())
    assert (joined.text, joined.files.names) == ("하나", ("a.txt",))
    assert [str(error).partition(";")[0] for error in joined.refused] == [
        "in/b.zip: an archive inside an archive is not read",
        "d.docx: the file is a zip archive or an Office document",
    ]
    folder = join_files([("f/a.txt", b"a"), ("f/.DS_Store", b"x"), ("f/b.txt", b"\xff\xff\xff")], Reading())
    assert folder.text == "a" and [error.values["path"] for error in folder.refused] == ["f/b.txt"]
    with pytest.raises(InputError, match=r"in/b\.zip"):
        join_files([("x.zip", _zip({"in/b.zip": "PK"}))], Reading())
    with pytest.raises(SizeError):
        join_files([("x.zip", _zip({"a.txt": "x" * 600})), ("b.txt", b"x" * 600)], Reading(max_bytes=1000))


@pytest.mark.parametrize(("name", "data"), [("a.txt", b""), ("a.txt", b" \n\n"), ("a.csv", b"text,year\n")])
def test_files_without_a_text_are_refused(name: str, data: bytes) -> None:
    with pytest.raises(InputError, match="contains no text"):
        join_files([(name, data), ("empty.txt", b"")], Reading())
    assert join_files([(name, data), ("b.txt", b"b")], Reading()).text.strip() == "b"


def test_names_of_a_korean_windows_are_read() -> None:
    data = _zip({"xx_2001.txt": "글"}).replace(b"xx_2001.txt", "소_2001.txt".encode("cp949")[:11])
    assert list(read_archive(data).files) == ["소_2001.txt"]
    assert list(read_archive(_zip({"../../a.txt": "x", "/b/./c.txt": "y"})).files) == ["a.txt", "b/c.txt"]


def test_columns_of_few_values_divide_a_table_and_its_lines_follow_each_other(tmp_path: Path) -> None:
    joined = join_files([("t.csv", _TABLE.encode())], Reading())
    assert joined.files.metadata == {"register": ("a", "b", "a", "b"), "year": ("2000", "2000", "2001", "2001")}
    assert joined.text.split("\n")[:3] == ["글 0", "글 2", "글 1"]
    assert join_files([("t.csv", _TABLE.encode())], Reading(split=False)).text == "".join(f"글 {i}\n" for i in range(8))
    path = tmp_path / "t.csv"
    path.write_text(_TABLE)
    assert "\n".join(read_corpus(path, column="text", split=["register", "year"])) + "\n" == joined.text
    _, parts = read_parts(path, split=["year", "register", "unknown"])
    assert [(part.n_lines, dict(part.metadata)) for part in parts[:1]] == [(2, {"register": "a", "year": "2000"})]
    with pytest.raises(InputError, match="column"):
        read_corpus(path)


def test_a_column_chosen_by_value_needs_no_other_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,register\n" + "나무 꽃,소설\n돈 은행,신문\n" * 9)
    assert main(["keyness", str(path), "--where", "register=소설", "--unit", "words", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["word"] for row in rows if row["direction"] == "+"} == {"나무", "꽃"}
    assert main(["keyness", str(path), "--where", "register=시", "--unit", "words"]) == 2
    assert "no file has register=시" in capsys.readouterr().err
    packed = tmp_path / "t.zip"
    packed.write_bytes(_zip({"소설_1.txt": "나무 꽃\n" * 9, "신문_1.txt": "돈 은행\n" * 9}))
    assert main(["keyness", str(packed), "--where", "register=소설_1", "--unit", "words", "--json"]) == 0
    assert {row["word"] for row in json.loads(capsys.readouterr().out) if row["direction"] == "+"} == {"나무", "꽃"}


def test_the_json_of_the_national_institute_is_divided_by_what_it_says(tmp_path: Path) -> None:
    joined = join_files([("S.json", json.dumps(_NIKL).encode())], Reading())
    assert joined.text == "음식 0\n음식 1\n여행 0\n여행 1\n"
    assert joined.files.metadata == {"topic": ("음식", "여행")}
    assert joined.tables["S.json"].choices == ("form",), "no column is asked for"
    path = tmp_path / "S.json"
    path.write_text(json.dumps(_NIKL))
    assert read_corpus(path) == joined.text.split("\n")[:-1]
    for other in (
        '{"document": 3}',
        '{"document": [{"sentence": [{"form": ""}]}]}',
        '{"document": [1, {"sentence": 2}]}',
    ):
        with pytest.raises(InputError, match="JSON"):
            join_files([("S.json", other.encode())], Reading())


def test_tagged_text_is_read_as_the_text_that_was_tagged() -> None:
    rows = ["나무에\t나무/NNG + 에/JKB", "꽃이\t꽃/NNG + 이/JKS", "피었다.\t피/VV + 었/EP + 다/EF + ./SF"]
    for before in ("", "BT-1\t"):
        text = "<p>\n" + "".join(f"{before}{row}\n" for row in [*rows, *rows[:2]]) + "</p>\n"
        assert untagged(text) == "나무에 꽃이 피었다.\n나무에 꽃이\n"
    assert untagged("나무에\t꽃\n" * 9) is None and untagged("a/B c/D\n" * 9) is None
