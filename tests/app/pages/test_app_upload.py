"""Uploading a corpus: tables, packed files, encodings, limits, and the health card."""

import gzip
import io
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from app.server.limits import Limits
from app.server.work.jobs import Registry
from app.session import state
from app.session.training import suggested_size
from tests.pages import open_page

LINES = ["나무에 꽃이 피었다.", "새가 꽃을 보았다.", '"나무"는, 크다'] * 5
CSV = "id,제목,본문\n" + "".join(
    '{},{}번 글,"{}"\n'.format(i, "가" * i, line.replace('"', '""')) for i, line in enumerate(LINES)
)
REVIEWS = (
    b"id,text,register,year\n"
    + "".join(
        f"{i},{text} {i},{('chat', 'news')[i % 2]},{2014 + i // 6}\n" for i, text in enumerate(["좋아요", "나라"] * 6)
    ).encode()
)


_PARTS = ("chat, 2014", "news, 2014", "chat, 2015", "news, 2015")


@pytest.fixture
def page(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The Train page, where a file is asked for."""
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(corpus_mb=1, upload_mb=2))
    return open_page("train", lang="en")


def _upload(app: AppTest, name: str, data: bytes) -> AppTest:
    app.file_uploader(key="corpus.file").set_value((name, data, "")).run()
    assert not app.exception
    return app


def _text(app: AppTest) -> str:
    (source,) = app.session_state[state.CORPORA].values()
    return source.text


def _left_out(app: AppTest) -> str:
    return next(one.value.replace("\\", "") for one in app.warning if "left out" in one.value)


def _shown(app: AppTest) -> str:
    elements = (*app.caption, *app.markdown, *app.error, *app.text)
    return "\n".join(element.value.replace("\\", "") for element in elements)


@pytest.mark.parametrize(
    ("name", "data"), [("글.csv", CSV.encode()), ("글.csv.gz", gzip.compress(CSV.encode("cp949"), mtime=0))]
)
def test_the_column_of_a_table_is_chosen(page: AppTest, name: str, data: bytes) -> None:
    app = _upload(page, name, data)
    assert app.selectbox(key="corpus.column.0").options == ["제목", "본문"], "numbers are no text"
    assert app.selectbox(key="corpus.column.0").value == "본문"
    assert _text(app) == "".join(f"{line}\n" for line in LINES)
    assert "15 cells contain text" in _shown(app)
    app.selectbox(key="corpus.column.0").set_value("제목").run()
    assert list(app.session_state[state.CORPORA].values())[-1].text.startswith("번 글\n가번 글\n")


def test_columns_of_few_values_divide_a_table_whose_text_column_is_clear(page: AppTest) -> None:
    app = _upload(page, "r.csv", REVIEWS)
    assert not [box for box in app.selectbox if str(box.key).startswith("corpus.column")]
    (source,) = app.session_state[state.CORPORA].values()
    assert source.files().metadata == {
        "register": ("chat", "news", "chat", "news"),
        "year": ("2014", "2014", "2015", "2015"),
    }
    assert source.files().names[1] == "r.csv: news, 2014" and source.name == "r.csv"
    assert source.files().lines_of((1,), source.lines()) == ["나라 1", "나라 3", "나라 5"]


def test_an_archive_is_read_and_what_is_refused_in_it_is_named(page: AppTest) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in {
            "novel_1998.txt": "한 줄\n",
            "old/b.zip": "PK",
            "c.pdf": "%PDF-1",
            "news.csv": REVIEWS,
        }.items():
            archive.writestr(name, text)
    app = _upload(page, "말뭉치.zip", data.getvalue())
    (source,) = app.session_state[state.CORPORA].values()
    assert source.files().names == (*(f"news.csv: {n}" for n in _PARTS), "novel_1998.txt")
    said = _left_out(app)
    assert "2 files were" in said and "old/b.zip: an archive inside" in said and "c.pdf: the file is a PDF" in said
    assert app.selectbox(key="corpus.id").value == source.id
    app.button(key=f"corpus.remove.{source.id}").click().run()
    assert not app.session_state[state.CORPORA] and app.selectbox(key="corpus.id").value == "ko"


def test_several_files_are_one_corpus_in_the_order_of_their_names(page: AppTest) -> None:
    files = [
        ("나.txt", "말 들\r\n\r\n꽃".encode("cp949"), ""),
        ("가.csv", CSV.encode(), ""),
        ("다.txt", "새가 난다".encode(), ""),
    ]
    app = page
    app.file_uploader(key="corpus.file").set_value(files).run()
    assert not app.exception and not app.error
    assert _text(app) == "".join(f"{line}\n" for line in LINES) + "말 들\n\n꽃\n새가 난다"
    (source,) = app.session_state[state.CORPORA].values()
    assert source.name == "가.csv + 2"
    counts = next(one.value for one in app.dataframe if "File" in one.value.columns)
    assert counts.to_numpy().tolist() == [["가.csv", 15], ["나.txt", 3], ["다.txt", 1]]
    assert "CP949 (1)" in _shown(app) and "15 cells" in _shown(app)
    assert source.files().names == ("가.csv", "나.txt", "다.txt") and source.files().n_lines == (15, 3, 1)
    # The limits are those of all files together, and what is wrong is said of the file.
    app.file_uploader(key="corpus.file").set_value([(name, b"x" * 1_100_000, "") for name in ("a.txt", "b.txt")]).run()
    assert "exceeds this server's limit of 2 MB" in _shown(app)
    app.file_uploader(key="corpus.file").set_value([(name, b"x" * 600_000, "") for name in ("a.txt", "b.txt")]).run()
    assert "THUNDER_TOK_MAX_CORPUS_MB" in _shown(app)
    app.file_uploader(key="corpus.file").set_value([("a.txt", b"a", ""), ("b.txt", b"PK\x03\x04....", "")]).run()
    assert "b.txt: the zip archive" in _left_out(app)
    app.file_uploader(key="corpus.file").set_value([(f"{i}.txt", b"a", "") for i in range(1001)]).run()
    assert "1,001 files are too many" in _shown(app).lower()


def test_names_and_a_table_describe_the_files(page: AppTest) -> None:
    files = [("novel_1998.txt", b"one\ntwo\n", ""), ("news_2004.txt", b"three", "")]
    page.file_uploader(key="corpus.file").set_value(files).run()
    (source,) = page.session_state[state.CORPORA].values()
    assert source.files().metadata == {"register": ("news", "novel"), "year": ("2004", "1998")}
    assert source.files().lines_of((1,), source.lines()) == ["one", "two"]
    command = page.code[-1].value
    assert "thunder-tok train news_2004.txt novel_1998.txt --vocab-size" in command
    page.text_input(key="corpus.pattern").set_value("{kind}_{when}").run()
    source = list(page.session_state[state.CORPORA].values())[-1]
    assert source.files().metadata == {"kind": ("news", "novel"), "when": ("2004", "1998")}
    page.text_input(key="corpus.pattern").set_value("{kind}{when}").run()
    assert "cannot be used" in _shown(page)
    page.text_input(key="corpus.pattern").set_value("").run()
    about = ("about.csv", "file,speaker\nnovel_1998,김\ngone.txt,이\n".encode(), "")
    page.file_uploader(key="corpus.file").set_value([*files, about]).run()
    assert not page.exception
    source = list(page.session_state[state.CORPORA].values())[-1]
    assert source.name == "news_2004.txt + 1" and source.text == "three\none\ntwo\n"
    assert source.files().metadata == {"speaker": ("", "김")}
    told = "\n".join(one.value.replace("\\", "") for one in page.warning)
    assert "says nothing about 1 file: news_2004.txt" in told
    assert "1 file that is not in the corpus: gone.txt" in told
    for odd, said in (
        ([*files, files[0]], "Two files are called novel_1998.txt"),
        ([*files, ("about.csv", b"file,year\na.txt,1\n", "")], "names none of the files"),
        ([*files, about, ("more.csv", b"file,year\nnovel_1998,1\n", "")], "Several tables"),
    ):
        page.file_uploader(key="corpus.file").set_value(odd).run()
        assert said in _shown(page)


def test_the_encoding_can_be_overridden(page: AppTest) -> None:
    app = _upload(page, "a.txt", ("나무 말들\n" * 9).encode("utf-16-le"))
    assert "UTF-16-LE" in _shown(app)
    app.selectbox(key="corpus.encoding").set_value("cp949").run()
    assert not app.exception
    assert app.error or "CP949" in _shown(app)


def test_the_health_card_names_what_is_wrong(page: AppTest) -> None:
    app = _upload(page, "a.txt", "같은 줄\n같은 줄\n\n깨\ufffd진 줄\x07\n".encode())
    text = _shown(app)
    assert "1 line (33.3%) duplicates an earlier one" in text
    assert "1 line is empty" in text
    assert "1 occurrence of U+FFFD" in text and "1 control character:" in text
    assert "Hangul 100.0%" in text
    assert "\ufffd" not in app.code[0].value


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"x" * 2_000_001, "exceeds this server's limit of 2 MB"),
        ("a.txt.gz", gzip.compress(bytes(50_000_000), 1, mtime=0), "THUNDER_TOK_MAX_CORPUS_MB"),
        ("a.txt.gz", gzip.compress(b"text" * 100, mtime=0)[:-9], "damaged or truncated"),
        ("a.csv", b"", "no text column"),
        ("a.txt", b"PK\x03\x04....", "zip archive"),
    ],
)
def test_what_cannot_be_read_is_explained(page: AppTest, name: str, data: bytes, reason: str) -> None:
    app = _upload(page, name, data)
    assert reason in _shown(app)
    assert app.selectbox(key="corpus.id").value == "ko"


def test_the_size_is_suggested_by_the_text_until_somebody_chooses_one(page: AppTest) -> None:
    assert [suggested_size(n) for n in (0, 999_999, 1_000_000, 2_200_000, 11_000_000, 10**9)] == [
        2000,
        2000,
        4000,
        8000,
        32_000,
        32_000,
    ]
    short, long = ("나무에 꽃이 피었다.\n" * 9).encode(), (b"one two three four.\n" * 50_000)
    size = "train.vocab_size"
    assert _upload(page, "long.txt", long).number_input(key=size).value == 4000
    assert "vocab_size-4000" in str(page.query_params["draft"])
    assert _upload(page, "short.txt", short).number_input(key=size).value == 2000
    page.number_input(key=size).set_value(300).run()
    assert _upload(page, "long.txt", long).number_input(key=size).value == 300


def test_the_size_of_a_link_is_kept(registry: Registry) -> None:
    app = open_page("train", lang="en", draft="text.0123~score-p")  # 2,000, the default, is not spelled out
    app = _upload(app, "long.txt", b"one two three four.\n" * 50_000)
    assert app.number_input(key="train.vocab_size").value == 2000
