"""Tokenizers from files of other programs on the pages that ask for probabilities, and on those that ask for more."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.components.pictures import strip_payload
from app.parts.side_by_side import shared_stretches
from app.parts.tables.fertility import all_measures
from app.parts.tables.segmentation import segment
from app.parts.tables.strips import strip_chars, token_row
from app.server.work import jobs
from app.server.work.jobs import Registry, Request
from app.session import state
from app.session.reference import FILE
from app.texts.catalogue import LANGUAGES, template, translate
from app.texts.corpora import builtin_corpus
from app.texts.plain import visible_space
from app.texts.presets import PRESETS
from app.views.explore.tables import occurrence_table
from engine.config import TrainingSettings
from engine.hangul.jamo import letters
from engine.lattice.lattice import Lattice
from engine.measure.parallel import parallel_table
from engine.model_files import tokenizer_from_bytes
from engine.pictures.showable import showable
from engine.tokenizer import LatticeTokenizer, require_probabilities
from tests.engine.interop.test_huggingface_import import peer
from tests.engine.interop.test_sentencepiece_import import model_file
from tests.engine.test_any_tokenizer import KINDS, content
from tests.pages import open_page, settle, write
from tests.seen import component_data

# With a space before the text and nmt_nfkc, as sentencepiece trains by default; and as T5 has it.
FILES = {
    "sentencepiece": lambda: model_file("unigram", "defaults"),
    "tokenizer.json": lambda: peer("t5").to_str().encode(),
}
TEXT = "한국의 영화는 ½ 쀍 abc"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def open_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """`open_with(data, "lattice", lang="ko", ...)`: a page with a file as the active model."""
    own = Registry(folder)
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: own)

    def open_(data: bytes, page: str, **params: str) -> AppTest:
        reference = f"{FILE}.{hashlib.sha256(data).hexdigest()[:24]}"
        own.models.write(reference, data)
        packed = {"text": state.pack_text(params.pop("text"))} if "text" in params else {}
        app = settle(
            open_page(page, **{"lang": "ko", "model": reference, "with": "none", "more": "all", **params, **packed})
        )
        assert "\ufffd" not in str(app)
        return app

    return open_


Open = Callable[..., AppTest]


def _of(data: bytes) -> LatticeTokenizer:
    return require_probabilities(tokenizer_from_bytes(data))


def _picture(app: AppTest) -> dict:
    """What the picture of the lattice was given."""
    found = [component_data(element) for element in app.get("bidi_component")]
    return next(data for data in found if "min_marginal" in data)


def _check_picture(data: dict, lattice: Lattice) -> None:
    columns = data["columns"]
    assert data["chars"] == [showable(char) for char in letters(lattice.text)]
    assert (columns["b"], columns["e"]) == (lattice.begin.tolist(), lattice.end.tolist())
    assert columns["label"] == [showable(label) for label in lattice.labels]
    assert columns["m"] == pytest.approx(np.minimum(lattice.marginal, 1), rel=1e-5)
    assert columns["lp"] == pytest.approx(lattice.log_prob, rel=1e-8)
    assert np.flatnonzero(columns["best"]).tolist() == sorted(lattice.best_path)
    assert [-1 if one is None else one for one in columns["id"]] == lattice.ids.tolist()
    assert columns["fallback"] == (lattice.number == -1).astype(int).tolist()
    assert set(columns["be"]) == {None}


def _links(app: AppTest) -> list[str]:
    return [element.proto.page for element in app.main.get("page_link")]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", FILES)
def test_the_lattice_is_the_tokenizers_own(open_with: Open, name: str, lang: str) -> None:
    data = FILES[name]()
    app = open_with(data, "lattice", lang=lang, text=TEXT, pick="1")
    lattice = _of(data).lattice(TEXT)
    assert lattice.text != TEXT and (lattice.number == -1).any()
    assert app.title[0].value == translate("lattice.title", lang)
    assert translate("lattice.no_rounds", lang) in [one.value for one in app.caption]
    assert "in_round" not in [one.key for one in app.slider]
    _check_picture(_picture(app), lattice)
    figures = {one.label: one.value for one in app.metric}
    assert figures[translate("lattice.metric.tokens", lang)] == str(lattice.n_tokens(lattice.best_path))
    assert figures[translate("lattice.metric.entropy", lang)].startswith(f"{lattice.entropy / np.log(2):.3f} ")
    paths = lattice.nbest(10)
    shown = app.dataframe[-1].value
    assert shown["posterior"].tolist() == pytest.approx([path.posterior for path in paths])
    assert shown["segmentation"].iloc[0] == visible_space("|".join(lattice.labels[arc] for arc in paths[0].arcs))
    # There is no page on a token of such a model.
    assert not any("token" in link for link in _links(app))


@pytest.mark.parametrize("name", FILES)
def test_every_part_of_the_lattice_page(open_with: Open, name: str) -> None:
    data = FILES[name]()
    lattice = _of(data).lattice(TEXT)
    app = open_with(data, "lattice", text=TEXT, tab="steps")
    found = [component_data(element) for element in app.get("bidi_component")]
    steps = next(one for one in found if "steps" in one)
    assert steps["path"] == lattice.best_path
    for section in ("samples", "methods"):
        app.segmented_control(key="choice.tab").set_value(section).run()
        assert not app.exception
    app.segmented_control(key="choice.tab").set_value("table").run()
    table = app.dataframe[-1].value
    assert list(table.columns) == ["begin", "end", "token", "id", "log_prob", "marginal", "best"]
    assert table["log_prob"].tolist() == pytest.approx(lattice.log_prob / np.log(2))
    assert table["id"].isna().tolist() == (lattice.ids < 0).tolist()


@pytest.mark.parametrize("name", FILES)
def test_what_if(open_with: Open, name: str) -> None:
    data = FILES[name]()
    model = _of(data)
    lattice = model.lattice(TEXT)
    app = open_with(data, "lattice", text=TEXT, tab="whatif")
    token = next(lattice.labels[arc] for arc in lattice.best_path if lattice.end[arc] - lattice.begin[arc] > 1)
    app.multiselect(key="lattice.forbid").set_value([token]).run()
    _check_picture(_picture(app), model.lattice(TEXT, forbid=[token]))
    app.button(key="lattice.reset").click().run()
    # A space is typed as a space; the last token ends after the last character of what was typed.
    app.text_input(key="lattice.add").set_value(" abc").run()
    changed = model.lattice(TEXT, add=[("▁abc", -8.0)])
    assert changed.begin.size == lattice.begin.size + 1
    _check_picture(_picture(app), changed)
    app.button(key="lattice.reset").click().run()
    last = int(np.flatnonzero((lattice.end == lattice.n) & (lattice.end - lattice.begin == 1))[0])
    assert lattice.end[last] > len(TEXT)
    app.session_state["lattice.picked"] = last
    app.run()
    app.button(key="lattice.force").click().run()
    span = (int(lattice.begin[last]), lattice.n)
    _check_picture(_picture(app), model.lattice(TEXT, force=[span]))
    assert not app.exception


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_any_text_has_a_lattice_or_a_reason(open_with: Open, name: str) -> None:
    data = FILES[name]()
    app = open_with(data, "lattice")
    for text in [" ", "\u200b", "가", "ﷺ½", "쀍" * 30, *PRESETS.values()]:
        write(app, "lattice.text", text)
        assert not app.exception, text
        lattice = _of(data).lattice(text)
        if lattice.n:
            _check_picture(_picture(app), lattice)
        else:
            assert [one.value for one in app.info] == [translate("lattice.nothing", "ko")]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("page", ["scores", "rounds", "token"])
def test_pages_on_pruning_say_what_they_need(open_with: Open, page: str, lang: str) -> None:
    app = open_with(FILES["sentencepiece"](), page, lang=lang)
    before, after = template("model.no_rounds", lang).split("{name}")
    assert len(app.info) == 1
    assert app.info[0].value.startswith(before) and app.info[0].value.endswith(after)


def test_a_model_without_probabilities_has_no_lattice(open_with: Open) -> None:
    app = open_with(content("tokenizer.json bpe"), "lattice", lang="en")
    assert len(app.info) == 1
    assert app.info[0].value.endswith(template("model.no_lattice", "en").split("{name}")[1])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", FILES)
def test_explore(open_with: Open, name: str, lang: str) -> None:
    data = FILES[name]()
    model = _of(data)
    for text in (TEXT, PRESETS["sweet_potato"], "가"):
        app = open_with(data, "explore", lang=lang, text=text, token="1", pretokens="true")
        table = app.dataframe[-1].value
        assert table["id"].tolist() == model.encode(text).ids
        assert bytes.fromhex("".join(table["bytes"])) == text.encode()
        log_prob = model.statistics()["log_prob"][table["id"]]
        np.testing.assert_allclose(table["log2_prob"].astype(float), log_prob / np.log(2))
        assert not {"p", "be"} & set(table.columns)
        # The first token may stand for the space before the text alone.
        assert app.subheader[0].value.split(":")[1].strip()
        links = _links(app)
        assert any("lattice" in link for link in links) and not any("token" in link for link in links)


def test_a_text_that_leaves_no_token(open_with: Open) -> None:
    app = open_with(FILES["sentencepiece"](), "explore", text="\u200b")
    assert app.dataframe[-1].value.empty


@pytest.mark.parametrize(
    "page", ["cost", *(pytest.param(one, marks=pytest.mark.slow) for one in ("growth", "learn_failures"))]
)
def test_a_file_is_chosen_where_tokenizers_are_chosen(open_with: Open, page: str) -> None:
    data = FILES["sentencepiece"]()
    reference = f"{FILE}.{hashlib.sha256(data).hexdigest()[:24]}"
    only = {"tokenizers": "bytes", "compare": "bytes", "view": "curves" if page == "growth" else "languages"}
    only |= {"more": "fairness", "measured": "languages", "with": "none"} if page == "cost" else {}
    app = open_with(data, page, lang="en", **only, **{"and": reference})
    assert app.pills(key="set.others").value == [reference]
    title = translate("model.file", "en")
    if page == "cost":
        table = next(one.value for one in app.dataframe if "premium" in one.value)
        own = table[table["tokenizer"].str.endswith(title)]
        expected = parallel_table(_of(data), _parallel(), "en")
        assert own["tokens"].tolist() == expected["tokens"].tolist()
    elif page == "growth":
        table = next(one.value for one in app.dataframe if "tokens_per_line" in one.value)
        own = table[table["tokenizer"] == title].iloc[0]
        model = _of(data)
        tokens = sum(len(model.encode(line).ids) for line in _parallel()["ko"])
        assert (own["vocab_size"], own["tokens"]) == (model.vocab_size, tokens)
    else:
        assert any(title in str(column) for column in app.dataframe[0].value.columns)


def _parallel() -> dict[str, list[str]]:
    from app.texts.corpora import parallel_texts

    return parallel_texts()


def test_bits_per_byte_are_measured() -> None:
    table = all_measures(_of(FILES["sentencepiece"]()), ["한국의 영화는", "abc"], "eojeol").set_index("measure")
    assert 0 < table.loc["marginal_bits_per_byte", "value"] <= table.loc["viterbi_bits_per_byte", "value"]


def test_the_table_of_a_text_says_what_a_file_says() -> None:
    merged = tokenizer_from_bytes(content("tokenizer.json bpe"))
    segmentation = segment(merged, TEXT)
    table = occurrence_table(merged, segmentation)
    numbers = merged.statistics()["merge"][segmentation.ids]
    assert table["merge"].fillna(-1).tolist() == numbers.tolist()
    assert isinstance(table["merge"].dtype, pd.Int64Dtype) and (numbers > 0).any() and (numbers < 0).any()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_token_of_any_tokenizer_is_drawn(kind: str) -> None:
    tokenizer = tokenizer_from_bytes(content(kind), kind)
    for text in [*PRESETS.values(), TEXT, " ", "\n", "\u200b", "\x07가\x1b", "e\u0301", "a\r\nb", "   가 ", "😀", "ﷺ"]:
        segmentation = segment(tokenizer, text)
        assert segmentation.ids.tolist() == tokenizer.encode(text).ids
        assert len(occurrence_table(tokenizer, segmentation)) == segmentation.ids.size
        drawn = []
        for (part,) in shared_stretches([segmentation], 20):
            row = token_row(tokenizer, segmentation, part, "", "")
            strip_payload([row], strip_chars(text, part))
            drawn += [token["id"] for token in row["tokens"]]
        assert drawn == segmentation.ids.tolist()


def test_what_was_not_trained_is_not_said_to_be(open_with: Open) -> None:
    app = open_with(FILES["sentencepiece"](), "train", lang="en")
    said = [one.value for one in app.success]
    assert len(said) == 1 and "is loaded" in said[0]
    # A model that is there already is used as it is.
    request = Request(builtin_corpus("toy", ("hug",)), TrainingSettings(vocab_size=300))
    jobs.registry().models.write(request.key, content("thunder-tok"))
    app = settle(open_page("train", lang="en", job=jobs.registry().submit(request)))
    said = [one.value for one in app.success]
    assert len(said) == 1 and "already exists" in said[0]
