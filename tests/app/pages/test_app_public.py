"""Tokenizers of public models in the app: chips, links, the defaults of Failure modes, and a server without them."""

from importlib.util import find_spec

import pytest

from app.session.models import ready_tokenizer
from app.session.reference import ModelReference, parse_reference
from engine.public.catalogue import PUBLIC_TOKENIZERS
from tests.pages import PAGES, open_page, settle

needs_package = pytest.mark.skipif(find_spec("splintr") is None, reason="splintr-rs is not installed")


def test_a_reference_names_a_public_tokenizer_that_there_is() -> None:
    for one in PUBLIC_TOKENIZERS.values():
        reference = parse_reference(one.reference)
        assert reference == ModelReference(one.reference) and str(reference) == one.reference
        assert reference.is_public and reference.is_file and not reference.is_run
    for word in ("public:", "public:gpt5", "public:gpt2~vocab_size-300", "public:../x"):
        assert parse_reference(word) is None


@pytest.mark.usefixtures("shared_registry")
def test_a_link_with_a_public_tokenizer_opens_the_same() -> None:
    app = settle(open_page("explore", lang="en", more="all", public="gpt2", **{"with": "none"}))
    table = app.dataframe[0].value
    assert table["name"].tolist() == ["Thunder-Tok", "GPT-2"]
    assert table["vocab_size"].tolist() == [2000, 50_257]
    assert table["tokens"].tolist()[1] == 68 and table["partial"].tolist()[1] == 66
    assert app.query_params["public"] == "gpt2"


def test_a_public_tokenizer_can_be_the_model_of_the_session() -> None:
    app = open_page("explore", lang="ko", more="all", model="public:gpt2", **{"with": "none"})
    assert app.dataframe[0].value["name"].tolist() == ["GPT-2"]
    lattice = open_page("lattice", lang="ko", model="public:gpt2")
    assert any("GPT\\-2" in caption.value for caption in lattice.caption) and not lattice.info


@pytest.mark.slow
@needs_package
@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_something_to_say_about_one(page: str) -> None:
    app = open_page(page, lang="en", model="public:o200k_base", **({"with": "none"} if page != "boundaries" else {}))
    assert not app.exception and not app.error


@pytest.mark.slow
@needs_package
def test_failure_modes_begin_with_the_tokenizers_that_everybody_uses() -> None:
    app = open_page("learn_failures", lang="en", topic="space")
    assert app.dataframe[0].value.columns.tolist()[3:] == ["1. GPT-2", "2. GPT-4", "3. GPT-4o, GPT-5"]
    assert app.dataframe[0].value.iloc[4, 3:].tolist() == [3, 2, 2]


def test_without_the_package_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("app.parts.tokenizers.tokenizer_set", "app.session.models"):
        monkeypatch.setattr(f"{module}.is_available", lambda name: name == "gpt2")
    assert ready_tokenizer(ModelReference("public:o200k_base"), None) is None
    app = open_page("learn_failures", lang="en", topic="space")
    assert app.dataframe[0].value.columns.tolist()[3:] == ["1. GPT-2"]
    assert any("lacks the package splintr-rs: GPT-4, GPT-4o" in one.value for one in app.caption)
    app = open_page("explore", lang="en", more="all", model="public:o200k_base")
    assert "lacks the package splintr-rs: GPT" in app.warning[0].value


@pytest.mark.slow
@needs_package
def test_languages_under_public_tokenizers() -> None:
    app = settle(
        open_page(
            "cost",
            lang="en",
            more="fairness",
            measured="languages",
            public="gpt2.cl100k_base.o200k_base",
            **{"with": "none"},
        )
    )
    table = next(frame.value for frame in app.dataframe if "Korean" in frame.value).set_index("tokenizer")
    table = table[table.index.str.contains("GPT")]
    # Korean words take three to seven times as many tokens as English ones, least under the newest vocabulary.
    ratio = (table["Korean"] / table["English"]).tolist()
    assert ratio == sorted(ratio, reverse=True) and ratio[0] > 6 and 1.5 < ratio[2] < 3


@pytest.mark.slow
@needs_package
def test_boundaries_against_gold_under_public_tokenizers() -> None:
    app = open_page("boundaries", lang="en", view="scores", gold="zh_words", public="gpt2.o200k_base")
    table = app.dataframe[0].value.set_index("name")
    # GPT-2 has hardly any ideograph as a token, o200k has words.
    assert 0 < table.loc["GPT-2", "f1"] < table.loc["GPT-4o, GPT-5", "f1"]
    assert table.loc["GPT-4o, GPT-5", "vocab_size"] == 200_019
