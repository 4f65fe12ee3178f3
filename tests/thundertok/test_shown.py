"""How results show themselves: hostile texts are escaped, pictures are static, long ones fall back to text."""

import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import thundertok as tt
from engine.cli import main
from engine.errors import InputError
from engine.interop.formats import import_tokenizer
from thundertok.models import LoadedModel
from thundertok.showing import html_table, text_table

_HOSTILE = "<script>alert(1)</script>\x1b[31m<img src=x onerror=alert(1)>\u202e&amp;\"'\ufffd]]>|$x$\t\x00`"
_LINES = [_HOSTILE, f"{_HOSTILE} 가나", "가나 다라", "가나 다라 마바", "다라 마바"]
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufffd]")


@pytest.fixture(scope="module")
def model() -> LoadedModel:
    return tt.train(_LINES, 280)


def _html(shown: Any) -> str:
    """Its HTML, well-formed, without anything that acts or loads."""
    text = shown._repr_html_()
    assert text
    tree = ET.fromstring(f"<div>{text}</div>")
    assert not _CONTROL.search(text)
    for element in tree.iter():
        name = element.tag.rpartition("}")[2]
        assert name not in {"script", "img", "iframe", "a", "link", "image", "use", "foreignObject"}
        assert not any(attribute.startswith("on") or "href" in attribute for attribute in element.attrib)
        assert not any("url(" in value for value in element.attrib.values())
    return text


def _results(model: LoadedModel) -> list[Any]:
    named = {"<b>&": model, "public:gpt2": "public:gpt2"}
    return [
        model,
        LoadedModel(model.tokenizer, _HOSTILE),
        model.encode(_HOSTILE),
        model.lattice(_HOSTILE.replace("\x00", "")),
        *model.rounds,
        tt.compare(named, {"<i>": _LINES}),
        tt.compare(named, {"<i>": _LINES}).plot(),
        tt.audit(model, _LINES),
        tt.stability(_LINES, 270, resamples=2),
        tt.fit(_byte_bpe(), {"<i>": _LINES}, add=[f"<script>{_HOSTILE}", "가나다라"]),
    ]


def _byte_bpe() -> LoadedModel:
    return LoadedModel(tt.train(_LINES, 270, "byte-bpe").tokenizer, _HOSTILE)


def test_nothing_hostile_comes_through(model: LoadedModel) -> None:
    for shown in _results(model):
        text = _html(shown)
        assert "<script" not in text and "<img" not in text and "<b>" not in text
        assert not _CONTROL.search(repr(shown)), repr(shown)


def test_frames_have_nothing_that_moves_a_cursor(model: LoadedModel) -> None:
    tables = (
        model.tokens(),
        model.encode(_HOSTILE).to_frame(),
        model.lattice(_HOSTILE).to_frame(),
        model.lattice(_HOSTILE).nbest(3),
        model.rounds[0].to_frame(),
        tt.audit(model).tokens("duplicate"),
        tt.stability(_LINES, 270, resamples=1).to_frame(),
    )
    for table in tables:
        assert not _CONTROL.search(table.to_csv())


def test_a_picture_is_that_of_the_app_light_and_dark(model: LoadedModel) -> None:
    for shown in (model, model.encode("가나 다라"), model.lattice("가나 다라")):
        text = _html(shown)
        assert "@media (prefers-color-scheme:dark)" in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
        assert text == shown._repr_html_()


@given(st.text(max_size=40))
@example("")
@example("\ud800")
@settings(max_examples=30)
def test_any_text_shows_itself(text: str) -> None:
    model = _byte_model()
    try:
        found = model.encode(text)
    except InputError:  # a lone surrogate
        assert any("\ud800" <= char <= "\udfff" for char in text)
        return
    assert f"({len(found)} token" in repr(found)
    if len(found):
        _html(found)


@cache
def _byte_model() -> LoadedModel:
    return LoadedModel(tt.train(["가나 다라", "가나"], 258, min_count=1).tokenizer)


def test_what_is_too_long_for_a_picture_is_text(model: LoadedModel) -> None:
    assert model.encode("")._repr_html_() is None
    assert model.encode("가나 " * 2001)._repr_html_() is None
    assert model.lattice("가" * 2001)._repr_html_() is None
    assert repr(model.encode("")) == "  (0 tokens)"
    with pytest.raises(InputError):
        model.encode("").picture()


def test_texts_without_words_are_a_table_without_a_picture(model: LoadedModel) -> None:
    shown = tt.compare(model, {"a": [""], "b": []})._repr_html_()
    assert "<svg" not in shown and shown.count("<tr>") == 3
    assert "<svg" in tt.compare(model, ["가 나"])._repr_html_()


def test_a_comparison_becomes_a_table_of_latex(model: LoadedModel) -> None:
    made = tt.compare({"a_b & <c>": model}, {"50% $x$": _LINES}).to_latex(caption="x_1")
    assert r"a\_b \& \textless{}c\textgreater{}" in made
    assert r"50\% \$x\$" in made
    assert r"\caption{x\_1}" in made and r"\toprule" in made


def test_a_picture_is_saved_as_svg_and_pdf(model: LoadedModel, tmp_path) -> None:
    picture = model.lattice("가나 다라").picture()
    picture.save(tmp_path / "a.svg", width_mm=84)
    assert 'width="84mm"' in (tmp_path / "a.svg").read_text(encoding="utf-8")
    picture.save(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(InputError):
        picture.save(tmp_path / "a.png")


def test_commands_with_a_picture_write_it_escaped(model: LoadedModel, tmp_path, capsys) -> None:
    model.save(tmp_path / "m.tok")
    (tmp_path / "<b>.txt").write_text("<script>alert(1)</script> 가나\n가나 다라", encoding="utf-8")
    drawn = ("--model", tmp_path / "m.tok", "--svg", tmp_path / "a.svg")
    for command in (
        ("encode", *drawn, tmp_path / "<b>.txt"),
        ("lattice", *drawn, "--text", "<script>alert(1)</script> 가나"),
        ("fertility", *drawn, "--text", tmp_path / "<b>.txt"),
    ):
        (tmp_path / "a.svg").unlink(missing_ok=True)
        assert main([*map(str, command)]) == 0
        made = (tmp_path / "a.svg").read_text(encoding="utf-8")
        names = {element.tag.rpartition("}")[2] for element in ET.fromstring(made).iter()}
        assert "svg" in names and not names & {"script", "b", "image", "a"}
    assert main([*map(str, ("encode", *drawn[:3], tmp_path / "a.png", tmp_path / "<b>.txt"))]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_every_kind_of_model_shows_itself() -> None:
    for reference in ("public:gpt2", "public:bert", "shipped:thunder-tok-32k"):
        assert reference in _html(tt.load(reference))
    words = LoadedModel(import_tokenizer(b"[UNK]\nhug\n##s\n"))
    assert "WordPiece" in repr(words)
    _html(words)
    _html(words.encode("hugs x"))


def test_columns_of_a_terminal_line_up() -> None:
    drawn = text_table(("a", "b"), [("가나", 1), ("x", 2.5), (None, True)])
    assert drawn.splitlines() == ["a     b", "가나  1", "x     2.5", "-     yes"]
    assert "&lt;" in html_table(("<",), [("<",)])
