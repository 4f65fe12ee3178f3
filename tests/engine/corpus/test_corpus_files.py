"""Corpora as texts and as tables: the column, the preview, and what is wrong with a file."""

import gzip
import io
import json

import pyarrow
import pytest
from pyarrow import parquet

from engine.cli import main
from engine.corpus.reading.read import open_corpus, read_corpus
from engine.corpus.reading.tables import TextTable, tsv_rows
from engine.corpus.reading.unpack import SizeError
from engine.errors import InputError

ROWS = [("1", "그 말은 틀렸어.", "0"), ("2", '"말"은, 이렇게', "1"), ("3", "두 줄\n한 칸", "0"), ("4", "", "1")]
NAMES = ("id", "document", "label")


def _table(data: bytes, name: str, **options) -> TextTable:
    content, _ = open_corpus(data, name, **options)
    assert isinstance(content, TextTable)
    return content


def csv_file(delimiter: str = ",") -> str:
    quoted = [[cell.replace('"', '""') for cell in row] for row in (NAMES, *ROWS)]
    return "".join(delimiter.join(f'"{cell}"' for cell in row) + "\r\n" for row in quoted)


def parquet_file(**columns) -> bytes:
    columns = columns or {name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


def jsonl_file() -> bytes:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", csv_file().encode()),
        ("a.csv", csv_file(";").encode("utf-8-sig")),
        ("A.CSV", csv_file("\t").encode("utf-16")),
        ("a.csv.gz", gzip.compress(csv_file().encode("cp949"), mtime=0)),
        ("a.jsonl", jsonl_file()),
        ("a.parquet", parquet_file()),
        ("no-ending", parquet_file()),
    ],
)
def test_every_kind_of_table_gives_the_same_text(name: str, data: bytes) -> None:
    table = _table(data, name)
    assert table.names == NAMES
    assert table.head == tuple(ROWS)
    assert table.suggested == "document"
    column = table.read("document")
    assert column.text == '그 말은 틀렸어.\n"말"은, 이렇게\n두 줄\n한 칸\n'
    assert (column.n_cells, column.n_empty, column.n_surrogates) == (3, 1, 0)
    with pytest.raises(InputError, match="choose one of: id, document, label"):
        table.read("none")


def test_a_stray_quotation_mark_stays_in_its_row_of_a_tsv_file() -> None:
    table = _table('id\ttext\n1\t"열고 닫지 않음\n2\t"따옴""표"\n3\t"가"와 "나"\n\n4'.encode(), "a.tsv")
    assert table.read("text").text == '"열고 닫지 않음\n따옴"표\n"가"와 "나"\n'


def test_an_open_quotation_mark_of_a_csv_file_is_an_error() -> None:
    table = _table(b"text\n" + b"a\n" * 99 + b'"open\nb\n', "a.csv")
    with pytest.raises(InputError, match=r"line 10\d: .* quotation marks"):
        table.read("text")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
def test_empty_tables_are_refused(name: str) -> None:
    for data in (b"", b"\n\n"):
        with pytest.raises(InputError, match="no text column"):
            open_corpus(data, name)


def test_columns_have_different_names() -> None:
    assert _table(b"a,,a,a (2)\n1,2,3,4\n", "a.csv").names == ("a", "#2", "a (2)", "a (2) (2)")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize(
    ("lines", "column"),
    [
        (["나는 학교에 간다", "비가 온다"], "#1"),
        (["좋다!", "나쁘다"], "#1"),
        (["안녕하세요. 반갑습니다.", *["비가 온다"] * 25], "#1"),
        (["본문", "나는 학교에 간다."], "본문"),
        (["Review Text", "I went to school."], "Review Text"),
    ],
)
def test_one_column_of_sentences_needs_no_name(name: str, lines: list[str], column: str) -> None:
    table = _table("\n".join(lines).encode(), name)
    text = lines if column == "#1" else lines[1:]
    assert table.names == (column,) and table.read(column).text.splitlines() == text
    assert table.head == tuple((line,) for line in text[:20])


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize(
    ("rows", "has_names"),
    [
        (["1|나는 학교에 간다", "2|비가 온다"], False),
        (["1|나는 2시에 간다", "2|그는 3시에 온다"], False),
        (["1.5|좋다", "-2|나쁘다", "|그저 그렇다"], False),
        (["2024-01-02|좋다", "2023-12-31|나쁘다"], False),
        (["a001|좋다", "a002|나쁘다"], False),
        (["좋다|긍정", "나쁘다|부정", "훌륭하다|긍정"], False),
        (["나는 학교에 간다.|I go to school.", "비가 온다.|It is raining."], False),
        (["나는 학교에 간다.|I go to school."], False),
        (["id|text", "1|나는 학교에 간다.", "2|비가 온다."], True),
        (["번호|날짜|리뷰", "1|2024-01-02|좋다", "2|2024-01-03|좋다"], True),
        (["1번|본문", "1번|좋다"], True),  # the usual name of a text
        (["|리뷰", "0|좋다", "1|나쁘다"], True),  # an index
        (["0|1", "3|좋다", "4|나쁘다"], True),  # columns numbered by pandas
        (["낱말|2001|2002", "빈도|이|삼"], True),
        (["연도|리뷰", "1999|좋다", "연도|리뷰", "2000|좋다"], True),  # two files joined
        (["What did you like best?|Timestamp", "The songs.|2024-01-02"], True),
        (["Review Text|Number of words", "좋다|1", "나쁘다|1"], True),
    ],
)
def test_a_first_row_like_the_rows_below_it_is_text(name: str, rows: list[str], has_names: bool) -> None:
    separator = "\t" if name == "a.tsv" else ","
    table = _table("\n".join(rows).replace("|", separator).encode(), name)
    cells = [row.split("|") for row in rows]
    assert table.head == tuple(map(tuple, cells[has_names:]))
    numbers = tuple(f"#{i}" for i in range(1, len(cells[0]) + 1))
    assert table.names == (tuple(cell or "#1" for cell in cells[0]) if has_names else numbers)
    assert table.cells(table.names[-1]) == [row[-1] for row in cells[has_names:]]


@pytest.mark.parametrize("line", ["{", "[1]", "1", "[" * 100_000, '{"a": ' * 100_000])
def test_bad_json_names_its_line(line: str) -> None:
    with pytest.raises(InputError, match="line 2 "):
        open_corpus(b'{"text": "a"}\n' + line.encode(), "a.jsonl")


def test_keys_inside_objects_are_columns() -> None:
    table = _table(b'{"meta": {"n": 1, "text": "a"}}\n\n{"meta": {"text": null}}\n', "a.jsonl")
    assert table.names == ("meta.text",)
    assert table.read("meta.text").text == "a\n"


def test_halves_of_surrogate_pairs_are_counted_and_left_out() -> None:
    column = _table(rb'{"t": "\ud83d\ude00"}' b"\n" rb'{"t": "a\ud83d b\ude00"}', "a.jsonl").read("t")
    assert column.text == "😀\na b\n"
    assert column.n_surrogates == 2


def test_parquet_without_text_or_damaged_is_refused() -> None:
    with pytest.raises(InputError, match="no column of the Parquet file contains text; its columns are: n"):
        open_corpus(parquet_file(n=[1, 2]), "a.parquet")
    data = bytearray(parquet_file())
    data[20:80] = bytes(60)
    with pytest.raises(InputError, match="damaged"):
        _table(bytes(data), "a.parquet").read("document")
    with pytest.raises(InputError, match="not a Parquet file"):
        open_corpus(b"PAR1" + bytes(50) + b"PAR1", "a.parquet")


def test_parquet_that_repeats_a_long_text_is_measured_before_it_is_multiplied() -> None:
    indices = pyarrow.array([0] * 20_000, pyarrow.int32())
    data = parquet_file(text=pyarrow.DictionaryArray.from_arrays(indices, ["가" * 300_000]))
    assert len(data) < 5_000_000  # and 18 GB of text
    with pytest.raises(SizeError, match="64 MB"):
        _table(data, "a.parquet", max_bytes=64_000_000).read("text", 64_000_000)


def _varint(number: int) -> bytes:
    """A positive number in zigzag form."""
    number, groups = 2 * number, []
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def test_parquet_whose_footer_lies_is_measured_as_it_is_read() -> None:
    sink = io.BytesIO()
    table = pyarrow.table({"text": ["a" * 1_000_000] * 20})
    parquet.write_table(
        table, sink, compression="zstd", use_dictionary=False, write_statistics=False, store_schema=False
    )
    data = sink.getvalue()
    size = parquet.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(0).total_uncompressed_size
    true = _varint(size)
    small = b"\xd0" + b"\x8f" + b"\x80" * (len(true) - 3) + b"\0"  # 1,000, written as long
    footer = len(data) - 200
    lying = data[:footer] + data[footer:].replace(true, small)
    assert parquet.ParquetFile(io.BytesIO(lying)).metadata.row_group(0).column(0).total_uncompressed_size == 1000
    with pytest.raises(SizeError):
        _table(lying, "a.parquet", max_bytes=10_000_000)
    assert len(_table(lying, "a.parquet").read("text").text) == 20 * 1_000_001


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.dictionary("int32", "string")])
def test_parquet_knows_several_types_of_text(kind) -> None:
    data = parquet_file(text=pyarrow.array(["a", None, "a", "b"], pyarrow.string()).cast(kind))
    assert _table(data, "a.parquet").read("text").text == "a\na\nb\n"


def test_a_column_that_is_too_long_is_refused() -> None:
    with pytest.raises(SizeError):
        _table(csv_file().encode(), "a.csv").read("document", 10)


def test_the_command_line_asks_for_the_column(tmp_path, capsys) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(csv_file().encode(), mtime=0))
    assert read_corpus(path, column="label") == ["0", "1", "0", "1"]
    arguments = ["train", str(path), "--vocab-size", "260", "--min-count", "1", "--output", str(tmp_path / "m")]
    assert main(arguments) == 2
    assert "--column, perhaps 'document'" in capsys.readouterr().err
    assert main([*arguments, "--column", "document"]) == 0
    assert main(["fertility", "--model", str(tmp_path / "m"), "--text", str(path), "--column", "document"]) == 0


def test_a_nul_in_a_cell_stays() -> None:
    assert list(tsv_rows('"a\0b"\t"say ""no\0"""\t"a" "b"\n')) == [["a\0b", 'say "no\0"', '"a" "b"']]
