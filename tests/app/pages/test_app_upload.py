"""Uploading a corpus: tables, packed files, encodings, limits, and the health card."""

import gzip

import pytest
from streamlit.testing.v1 import AppTest

from app.server.limits import Limits
from app.server.work.jobs import Registry
from app.session import state
from app.session.training import suggested_size
from tests.pages import open_page

LINES = ["나무에 꽃이 피었다.", "새가 꽃을 보았다.", '"나무"는, 크다'] * 5
CSV = ("id,본문\n" + "".join('{},"{}"\n'.format(i, line.replace('"', '""')) for i, line in enumerate(LINES))).encode()


@pytest.fixture
def page(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The Train page, where a file is asked for."""
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(corpus_mb=1, upload_mb=2))
    return open_page("train", lang="en").segmented_control(key="train.kind").set_value("upload").run()


def _upload(app: AppTest, name: str, data: bytes) -> AppTest:
    app.file_uploader(key="upload.file").set_value((name, data, "")).run()
    assert not app.exception
    return app


def _text(app: AppTest) -> str:
    (source,) = app.session_state[state.CORPORA].values()
    return source.text


def _shown(app: AppTest) -> str:
    elements = (*app.caption, *app.markdown, *app.error, *app.text)
    return "\n".join(element.value.replace("\\", "") for element in elements)


@pytest.mark.parametrize(
    ("name", "data"), [("글.csv", CSV), ("글.csv.gz", gzip.compress(CSV.decode().encode("cp949"), mtime=0))]
)
def test_the_column_of_a_table_is_chosen(page: AppTest, name: str, data: bytes) -> None:
    app = _upload(page, name, data)
    assert app.selectbox(key="upload.column").value == "본문"
    assert _text(app) == "".join(f"{line}\n" for line in LINES)
    assert "15 cells contain text" in _shown(app)
    app.selectbox(key="upload.column").set_value("id").run()
    assert list(app.session_state[state.CORPORA].values())[-1].text.startswith("0\n1\n2\n")


def test_several_files_are_one_corpus_in_the_order_of_their_names(page: AppTest) -> None:
    files = [
        ("나.txt", "말 들\r\n\r\n꽃".encode("cp949"), ""),
        ("가.csv", CSV, ""),
        ("다.txt", "새가 난다".encode(), ""),
    ]
    app = page
    app.file_uploader(key="upload.file").set_value(files).run()
    assert not app.exception and not app.error
    assert _text(app) == "".join(f"{line}\n" for line in LINES) + "말 들\n\n꽃\n새가 난다"
    (source,) = app.session_state[state.CORPORA].values()
    assert source.name == "가.csv + 2"
    counts = next(one.value for one in app.dataframe if "File" in one.value.columns)
    assert counts.to_numpy().tolist() == [
        ["가.csv", 15, 40, sum(len(line) + 1 for line in LINES)],
        ["나.txt", 2, 3, 6],
        ["다.txt", 1, 2, 5],
    ]
    assert "as CP949" in _shown(app) and "15 cells" in _shown(app)
    assert source.files().names == ("가.csv", "나.txt", "다.txt") and source.files().n_lines == (15, 3, 1)
    # The limits are those of all files together, and what is wrong is said of the file.
    app.file_uploader(key="upload.file").set_value([(name, b"x" * 1_100_000, "") for name in ("a.txt", "b.txt")]).run()
    assert "exceeds this server's limit of 2 MB" in _shown(app)
    app.file_uploader(key="upload.file").set_value([(name, b"x" * 600_000, "") for name in ("a.txt", "b.txt")]).run()
    assert "THUNDER_TOK_MAX_CORPUS_MB" in _shown(app)
    app.file_uploader(key="upload.file").set_value([("a.txt", b"a", ""), ("b.txt", b"PK\x03\x04....", "")]).run()
    assert "b.txt" in _shown(app) and "zip archive" in _shown(app)
    app.file_uploader(key="upload.file").set_value([(f"{i}.txt", b"a", "") for i in range(51)]).run()
    assert "51 files are too many" in _shown(app).lower()


def test_names_and_a_table_describe_the_files(page: AppTest) -> None:
    files = [("novel_1998.txt", b"one\ntwo\n", ""), ("news_2004.txt", b"three", "")]
    page.file_uploader(key="upload.file").set_value(files).run()
    (source,) = page.session_state[state.CORPORA].values()
    assert source.files().metadata == {"register": ("news", "novel"), "year": ("2004", "1998")}
    assert source.files().lines_of((1,), source.lines()) == ["one", "two"]
    command = page.code[-1].value
    assert "thunder-tok train news_2004.txt novel_1998.txt --vocab-size" in command
    page.text_input(key="upload.name_pattern").set_value("{kind}_{when}").run()
    (source,) = page.session_state[state.CORPORA].values()
    assert source.files().metadata == {"kind": ("news", "novel"), "when": ("2004", "1998")}
    page.text_input(key="upload.name_pattern").set_value("{kind}{when}").run()
    assert "cannot be used" in _shown(page)
    page.text_input(key="upload.name_pattern").set_value("").run()
    about = ("about.csv", "file,speaker\nnovel_1998,김\ngone.txt,이\n".encode(), "")
    page.file_uploader(key="upload.file").set_value([*files, about]).run()
    assert not page.exception
    (source,) = page.session_state[state.CORPORA].values()
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
        page.file_uploader(key="upload.file").set_value(odd).run()
        assert said in _shown(page)


def test_the_encoding_can_be_overridden(page: AppTest) -> None:
    app = _upload(page, "a.txt", ("나무 말들\n" * 9).encode("utf-16-le"))
    assert "UTF-16-LE" in _shown(app)
    app.selectbox(key="upload.encoding").set_value("cp949").run()
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
    assert app.button(key="train.start").disabled


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
    app.segmented_control(key="train.kind").set_value("upload").run()
    app = _upload(app, "long.txt", b"one two three four.\n" * 50_000)
    assert app.number_input(key="train.vocab_size").value == 2000
