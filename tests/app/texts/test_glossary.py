"""The glossary: every term is whole, the pages lead to it, and its example opens, as what Papers names does."""

import ast
import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from app.session.state import unpack_text
from app.texts.catalogue import LANGUAGES, catalogue, translate
from app.texts.glossary import GLOSSARY, GROUPS
from engine.evidence.claims import SOURCES, exhibits
from tests.app.sources import nodes, parsed
from tests.pages import PAGES, open_page, settle

_LINK = re.compile(r"\]\(term:([^)]*)\)")
# The class asks before it explains, the library uses no term of the field, and this is the glossary itself.
_WITHOUT = {"exercises", "glossary", "lessons"}
_MODEL = "toy.hug~vocab_size-264~min_count-1"


def _names(app: AppTest) -> list[str]:
    return [name for one in app.markdown for name in re.findall("^### (.*)", one.value, re.MULTILINE)]


def test_every_term_has_its_texts_and_no_text_is_left_over() -> None:
    terms = {key.split(".")[1] for key in catalogue() if re.fullmatch(r"glossary\.\w+\.(name|text)", key)}
    assert terms == set(GLOSSARY) and len(terms) > 60
    for term, about in GLOSSARY.items():
        assert about.page in PAGES and about.group in GROUPS and about.source
        for part in ("name", "text"):
            assert {"ko", "en"} <= set(catalogue()[f"glossary.{term}.{part}"]), term
    for lang in LANGUAGES:
        names = [translate(f"glossary.{term}.name", lang) for term in GLOSSARY]
        assert len(names) == len(set(names))
        assert all(translate(f"glossary.{term}.text", lang).count(". ") == 0 for term in GLOSSARY)  # one sentence


def test_terms_stand_in_the_order_of_their_groups() -> None:
    places = [GROUPS.index(about.group) for about in GLOSSARY.values()]
    assert places == sorted(places) and set(places) == set(range(len(GROUPS)))


def test_links_of_texts_lead_to_terms() -> None:
    linked = {
        (key, term) for key, texts in catalogue().items() for text in texts.values() for term in _LINK.findall(text)
    }
    assert {(key, term) for key, term in linked if term not in GLOSSARY} == set()
    assert set(PAGES) - {key.split(".")[0] for key, _ in linked} == _WITHOUT
    # Only `t` makes addresses of them.
    asked_raw = {
        node.args[0].value
        for module in parsed("app").values()
        for node in nodes(module)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") in ("raw", "translate")
        and isinstance(node.args[0], ast.Constant)
    }
    assert asked_raw & {key for key, _ in linked} == set()


def test_a_link_carries_language_and_model_and_shows_its_term_first() -> None:
    app = open_page("learn_bpe", lang="en", model=_MODEL)
    (intro,) = [one.value for one in app.markdown if "Byte-pair encoding" in one.value]
    (address,) = re.findall(r"\]\((glossary\S*term=bpe)\)", intro)
    query = dict(parse_qsl(urlsplit(address).query))
    assert query == {"lang": "en", "model": _MODEL, "term": "bpe"}
    opened = open_page("glossary", **query)
    assert "## BPE\n" in next(one.value for one in opened.markdown if one.value.startswith("## "))
    assert len(_names(opened)) == len(GLOSSARY)
    # So does what the glossary shows of a term, unless it needs a model of its own.
    said = " ".join(one.value for one in opened.markdown)
    assert f"](learn_bpe?lang=en&model={_MODEL.replace(':', '%3A')})" in said
    assert "](rounds?lang=en&model=shipped%3Athunder-tok-32k)" in said


@pytest.mark.parametrize(("wanted", "found"), [("어절", "eojeol"), ("Viterbi", "viterbi"), ("RÉNYI", "renyi")])
def test_a_term_is_found_in_either_language(wanted: str, found: str) -> None:
    app = open_page("glossary", lang="en", look_up=wanted)
    names = _names(app)
    assert 0 < len(names) < len(GLOSSARY)
    assert any(name.startswith(translate(f"glossary.{found}.name", "en")) for name in names)


def test_a_search_without_result_says_so_and_an_unknown_term_is_none() -> None:
    app = open_page("glossary", lang="ko", look_up="쀍쀍", term="nothing")
    assert not _names(app) and not app.header and "term" not in app.query_params
    assert translate("glossary.none", "ko") in [one.value for one in app.caption]


# Page and parameters of every term and of every exhibit of Papers; an address that several have is opened once.
_SHOWN_BY = [
    *((term, {"page": about.page, **about.params}) for term, about in GLOSSARY.items()),
    *((one.id, one.live) for source in SOURCES for one in exhibits(source, 32_000) if one.live),
]
_EXAMPLES = {tuple(sorted(params.items())): name for name, params in _SHOWN_BY}


@pytest.mark.slow
@pytest.mark.parametrize("example", _EXAMPLES, ids=_EXAMPLES.values())
@pytest.mark.usefixtures("shared_registry")
def test_every_example_opens_as_it_says(example: tuple[tuple[str, str], ...]) -> None:
    params = dict(example)
    page = params.pop("page")
    app = settle(open_page(page, **{"lang": "en", "model": "shipped:thunder-tok-32k", **params}))
    assert not app.error and not app.warning and len(app.title) == 1
    for name, value in params.items():
        # A parameter that the page knows is noted with its own name, or is a control's.
        assert f"url.{name}" in app.session_state or name in app.session_state, name
        if name in app.query_params:
            given = app.query_params[name]
            shown = given if isinstance(given, str) else given[0]
            assert value in (shown.lstrip("~"), unpack_text(shown)), name
