"""Tokenizer files whose steps would never end: what a text is worth is counted, for all steps together."""

import hashlib
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer as Peer

from app.server.work.jobs import Registry
from app.session import state
from app.session.reference import FILE
from app.worker import _try
from engine.corpus.normalize import normalize, to_form
from engine.errors import InputError
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.interop.imported import step_budget
from engine.interop.imported.normalizers import Verbatim
from engine.interop.imported.tokenizer import Imported
from tests.engine.interop.test_huggingface_import import assert_tiled
from tests.pages import open_page

LETTERS = "abB_1 \n\u3000\u200c가-é\u0301"
FLAGS = ("special", "normalized", "single_word", "lstrip", "rstrip")


def content(**parts: Any) -> bytes:
    """A tokenizer.json whose model has a few letters."""
    vocab = {letter: i for i, letter in enumerate(f"{LETTERS}A")}
    model = {"type": "BPE", "vocab": vocab, "merges": []}
    nothing = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"))
    return json.dumps({"version": "1.0", "added_tokens": [], **nothing, "model": model, **parts}).encode()


def replace(old: str, new: str) -> dict[str, Any]:
    """A step that puts one text in place of another."""
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def in_order(kind: str, steps: list[Any]) -> dict[str, Any]:
    """A part of these steps."""
    return {"type": "Sequence", kind: steps}


def imported(**parts: Any) -> Imported:
    """The tokenizer of `content`."""
    return from_tokenizer_json(content(**parts))


SWAPS = [replace("a", "aa")] * 4 + [replace("a", "b"), replace("b", "a")] * 93
FORMS = [{"type": "NFD"}, {"type": "NFC"}] * 90
LETTER_BY_LETTER = [{"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated"}] * 150
OVERDONE: dict[str, tuple[dict[str, Any], str]] = {
    "swaps": ({"normalizer": in_order("normalizers", SWAPS)}, "a"),
    "forms": ({"normalizer": in_order("normalizers", FORMS)}, "é"),
    "pieces": ({"pre_tokenizer": in_order("pretokenizers", LETTER_BY_LETTER)}, "ab"),
    "parts": (
        {
            "normalizer": in_order("normalizers", [{"type": "Lowercase"}] * 150),
            "added_tokens": [{"id": 0, "content": "a", "special": False, "normalized": False}],
        },
        "ab",
    ),
}


@pytest.mark.parametrize("name", OVERDONE)
def test_a_text_is_worth_so_many_changes_in_all(name: str) -> None:
    parts, text = OVERDONE[name]
    ours = imported(**parts)
    for use in (ours.encode, lambda text: ours.encode_lines([text]), lambda text: ours.fewest_tokens([text])):
        with pytest.raises(InputError) as caught:
            use(text * 300)
        assert caught.value.code in step_budget.OVERDONE


def test_a_decoder_may_do_so_much_with_tokens() -> None:
    ours = imported(decoder=in_order("decoders", [replace("a", "b"), replace("b", "a")] * 60))
    with pytest.raises(InputError) as caught:
        ours.decode([0] * 1000)
    assert caught.value.code == "import.changes"


def test_growth_is_summed_over_the_parts_of_a_text() -> None:
    added = [{"id": 0, "content": "a", "special": False, "normalized": False}]
    ours = imported(normalizer=replace("b", "b" * 500), added_tokens=added)
    with pytest.raises(InputError) as caught:
        ours.encode("ab" * 1000)
    assert caught.value.code == "import.growth"


@pytest.mark.parametrize("kind", ["Unigram", "WordPiece"])
def test_growth_and_long_tokens_count_together(kind: str) -> None:
    texts = ["<unk>", "a", "a" * 1000 + "b"]
    if kind == "Unigram":
        model: dict[str, Any] = {"unk_id": 0, "vocab": [[text, -1.0] for text in texts]}
    else:
        model = {"unk_token": "<unk>", "vocab": {text: i for i, text in enumerate(texts)}}
    assert imported(model={"type": kind, **model}).encode("a" * 1000).ids
    with pytest.raises(InputError) as caught:
        imported(model={"type": kind, **model}, normalizer=replace("a", "a" * 20)).encode("a" * 1000)
    assert caught.value.code == "import.changes"


def test_marks_of_a_model_are_short_and_count_as_growth() -> None:
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": True, "end_of_word_suffix": "x" * 1000}
    isolated = {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated"}
    with pytest.raises(InputError) as caught:
        imported(model=model, pre_tokenizer=isolated).encode("a" * 1000)
    assert caught.value.code == "import.growth"
    with pytest.raises(InputError, match="up to 1,024 characters"):
        imported(model=model | {"end_of_word_suffix": "x" * 1025})


def test_forty_replacements_in_a_long_text_are_no_hindrance() -> None:
    steps = [replace(chr(0x2010 + i), "-") for i in range(40)]
    text = "".join(chr(0x2010 + i % 40) for i in range(2000))
    ours = imported(normalizer=in_order("normalizers", steps))
    assert ours.encode(text).ids == [LETTERS.index("-")] * 2000


def test_a_worker_tries_what_the_steps_look_for() -> None:
    with pytest.raises(InputError) as caught:
        _try(
            imported(normalizer=in_order("normalizers", [replace("[x]", "[x][x]")] * 4 + [replace("[x]", "[x]")] * 90))
        )
    assert caught.value.code in step_budget.OVERDONE
    _try(imported(normalizer=in_order("normalizers", [replace("[x]", "[y]"), {"type": "NFKC"}])))


def test_nothing_is_begun_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    def one_more() -> None:
        begun.append(len(begun))
        if len(begun) > 3:
            raise KeyboardInterrupt

    ours = imported()
    monkeypatch.setattr(step_budget, "_between_texts", [lambda: None])
    step_budget.call_between_texts(one_more)
    with pytest.raises(KeyboardInterrupt):
        ours.encode_lines(["a"] * 100)
    assert len(begun) == 4


def test_a_run_whose_visitor_has_left_stops_at_the_next_text() -> None:
    def page() -> None:
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        from app.server.start_up import stop_where_nobody_waits
        from tests.engine.interop import test_step_budget

        stop_where_nobody_waits()
        test_step_budget.REACHED.append("begun")
        context = get_script_run_ctx()
        assert context is not None and context.script_requests is not None
        context.script_requests.request_stop()
        stop_where_nobody_waits()
        test_step_budget.REACHED.append("went on")

    REACHED.clear()
    AppTest.from_function(page).run()
    assert REACHED == ["begun"]


REACHED: list[str] = []


@pytest.mark.slow
def test_a_page_says_that_a_file_does_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Registry(tmp_path)
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: own)
    data = content(normalizer=in_order("normalizers", SWAPS))
    reference = f"{FILE}.{hashlib.sha256(data).hexdigest()[:24]}"
    own.models.write(reference, data)
    app = open_page("explore", lang="en", model=reference, text=state.pack_text("a" * 50), **{"with": "none"})
    assert ["changes a text of" in error.value for error in app.error] == [True]
    assert own.models.find(reference) is not None


_FOUND = st.tuples(st.text(LETTERS, min_size=1, max_size=4), st.tuples(*[st.booleans()] * 5))
_NORMALIZERS = (None, {"type": "Lowercase"}, {"type": "StripAccents"}, {"type": "NFD"}, replace("a", "bb"))


@settings(max_examples=60)
@given(
    st.lists(_FOUND, min_size=1, max_size=6, unique_by=lambda found: found[0]),
    st.sampled_from(_NORMALIZERS),
    st.lists(st.text(LETTERS, max_size=6), max_size=5),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_added_tokens_are_found_as_tokenizers_finds_them(
    found: list[tuple[str, tuple[bool, ...]]], normalizer: Any, texts: list[str], allow_special: bool, dice: Any
) -> None:
    if any(flags[FLAGS.index("rstrip")] for _, flags in found):
        # White space that one token takes and that is another: theirs gives both, one over the other.
        found = [(text.translate(dict.fromkeys(map(ord, " \n\u3000"), "-")), flags) for text, flags in found]
    found = list(dict(found).items())
    ids = {letter: i for i, letter in enumerate(f"{LETTERS}A")}
    for text, _ in found:
        ids.setdefault(text, len(ids))
    added = [{"id": ids[text], "content": text, **dict(zip(FLAGS, flags, strict=True))} for text, flags in found]
    data = content(added_tokens=added, normalizer=normalizer)
    peer = Peer.from_str(data.decode())
    normalized = [
        text if normalizer is None else peer.normalizer.normalize_str(text) for text, flags in found if flags[1]
    ]
    if "" in normalized or len(set(normalized)) < len(normalized):
        return  # which of them is found changes from run to run there
    peer.encode_special_tokens = not allow_special
    parts = [*texts, *(text for text, _ in found)] * 2
    dice.shuffle(parts)
    text = "".join(parts)
    encoding = from_tokenizer_json(data).encode(text, allow_special)
    assert encoding.ids == peer.encode(text, add_special_tokens=False).ids
    assert_tiled(encoding.spans, text)


def test_a_special_token_that_stays_text_hides_what_is_in_it() -> None:
    options = dict.fromkeys(FLAGS, False)
    added = [options | {"id": 14, "content": "<s>", "special": True}, options | {"id": 15, "content": "s>"}]
    data = content(added_tokens=added)
    peer = Peer.from_str(data.decode())
    for allow_special in (False, True):
        peer.encode_special_tokens = not allow_special
        expected = peer.encode("a<s>s>b", add_special_tokens=False).ids
        assert from_tokenizer_json(data).encode("a<s>s>b", allow_special).ids == expected


def test_thousands_of_added_tokens_are_one_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    monkeypatch.setattr(regex, "compile", lambda *given: compiled.append(given))
    added = [{"id": 20 + i, "content": f"<a{i:05}>", "special": False, "normalized": False} for i in range(4000)]
    ours = imported(added_tokens=added)
    found = ours.encode("<a" * 20_000 + "<a03999>").ids
    assert found[-1] == 4013 and not compiled  # ids are given anew from the size of the vocabulary


def test_an_added_token_has_up_to_1024_characters_also_when_it_is_normalised() -> None:
    token = {"id": 14, "content": "가" * 1024, "special": False, "normalized": True}
    assert imported(added_tokens=[token]).encode("가" * 1024).ids == [14]
    with pytest.raises(InputError, match="over 1,024 characters"):
        imported(added_tokens=[token], normalizer={"type": "NFD"})


@given(st.text("ab", max_size=30), st.text("ab", max_size=3))
def test_a_text_is_found_as_an_expression_would_find_it(text: str, sought: str) -> None:
    expected = [match.span() for match in regex.finditer(regex.escape(sought), text)]
    assert Verbatim(sought).matches([text, ""])[0] == expected


_MARKS = "\u0301\u0316\u0344\u0f73\u0f71\u0f72\u3099\uff9e\u093c\u0345a가\u1161\u11a8かe"


@given(st.lists(st.tuples(st.text(_MARKS, min_size=1, max_size=6), st.integers(1, 60)), max_size=4))
def test_forms_are_those_of_the_standard_library(runs: list[tuple[str, int]]) -> None:
    text = "".join(marks * times for marks, times in runs)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert to_form(text, form) == unicodedata.normalize(form, text)


def test_a_text_of_marks_takes_linear_time() -> None:
    # The standard library takes the square: minutes for this one.
    text, n = "a" + "\u0301\u0316" * 200_000, 200_000
    assert normalize(text, "nfd") == "a" + "\u0316" * n + "\u0301" * n
    assert normalize(text, "nfc") == "á" + "\u0316" * n + "\u0301" * (n - 1)
    assert imported(normalizer={"type": "NFC"}).encode("🇰" * n + "e\u0301").ids == [LETTERS.index("é")]


@pytest.mark.slow
def test_everything_that_becomes_marks_alone_is_put_in_order() -> None:
    # Runs of what starts with a mark when it is decomposed are as long as the pattern says, or are put in order.
    from engine.corpus.normalize import _LONG_RUN

    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000:
            first = unicodedata.normalize("NFKD", chr(code))[0]
            assert not unicodedata.combining(first) or _LONG_RUN.search(chr(code) * 100), f"U+{code:04X}"
