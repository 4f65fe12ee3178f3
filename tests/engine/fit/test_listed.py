"""Tokens by hand: every one that is added is reached, the others are left out with the reason."""

import json

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.fit.changed import ChangedVocabulary, with_listed
from engine.fit.editable import Editable
from engine.fit.listed import MOST_LISTED, ListedTokens, listed_merges
from engine.fit.tokenizer_json import TokenizerJson
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.huggingface.importer import from_tokenizer_json
from tests.engine.fit.starts import LINES, SPECIALS, STARTS, trained
from tests.engine.fit.test_changed import pretokens_of

_token = st.text(st.sampled_from("them na다람쥐가를,"), max_size=12)
_few = settings(max_examples=6, deadline=None)


def _listed(changed: ChangedVocabulary) -> ListedTokens:
    assert changed.listed is not None
    return changed.listed


def _reasons(editable: Editable, tokens: list[str]) -> dict[int, str]:
    left_out = _listed(with_listed(editable, [], tokens)).left_out
    return {line: error.code.removeprefix("fit.token_") for line, error in left_out.items()}


@_few
@given(st.sampled_from(sorted(STARTS)), st.lists(_token, min_size=1, max_size=20), st.lists(_token, max_size=5))
def test_listed_tokens_are_reached_and_other_text_stays(name: str, tokens: list[str], texts: list[str]) -> None:
    editable = STARTS[name]()
    old = editable.tokenizer
    changed = with_listed(editable, [], tokens)
    new, listed = changed.tokenizer, _listed(changed)
    assert sorted([*listed.left_out, *(tokens.index(text) + 1 for text in listed.texts.values())]) == [
        *range(1, len(tokens) + 1)
    ]
    for token_id, text in listed.texts.items():
        assert token_id >= old.vocab_size
        assert new.encode(text).ids == [token_id]
        bounds = changed.id_map.ptr[token_id : token_id + 2].tolist()
        assert changed.id_map.old_ids[slice(*bounds)].tolist() == old.encode(text).ids
    assert sorted([*listed.texts, *listed.parts()]) == [*range(old.vocab_size, new.vocab_size)]
    assert [new.token_bytes(i) for i in range(old.vocab_size)] == [old.token_bytes(i) for i in range(old.vocab_size)]
    added = [new.token_bytes(i) for i in range(old.vocab_size, new.vocab_size)]
    for text in [*LINES, *texts]:
        for word in pretokens_of(old, text):
            if not any(token in word.encode() for token in added):
                assert new.encode(word) == old.encode(word)


@pytest.mark.parametrize("name", STARTS)
def test_what_cannot_be_a_token_is_left_out_with_its_reason(name: str) -> None:
    tokens = ["다람쥐도", "", "다람 쥐", "다람쥐도", "t", SPECIALS[0], "t" * 600]
    reasons = _reasons(STARTS[name](), tokens)
    assert reasons == {
        **({1: "unknown", 4: "unknown"} if "characters" in name else {4: "repeated"}),
        2: "empty",
        3: "cut",
        5: "known",
        6: "set_apart",
        7: "long",
    }


def test_the_places_of_the_cuts_are_said() -> None:
    left_out = _listed(with_listed(STARTS["json"](), [], ["다람 쥐,"])).left_out
    assert str(left_out[1]).endswith("as 다람 |  쥐 | ,")


def test_a_list_without_a_new_token_changes_nothing() -> None:
    for make in STARTS.values():
        editable = make()
        changed = with_listed(editable, LINES, ["", "다람 쥐"])
        assert changed.data == editable.data
        assert changed.added.size == changed.removed.size == 0


def test_a_part_that_no_merge_makes_is_not_merged_now() -> None:
    content = json.loads(to_tokenizer_json(trained(270, specials=())))
    content["model"]["vocab"] |= {"qx": 270, "qxz": 271}
    data = json.dumps(content).encode()
    editable = TokenizerJson(from_tokenizer_json(data), data)
    changed = with_listed(editable, [], ["qx", "qxz", "qxzq"])
    assert [error.code for error in _listed(changed).left_out.values()] == ["fit.token_lost"] * 2
    theirs = tokenizers.Tokenizer.from_str(changed.data.decode())
    assert [theirs.encode(text).tokens for text in ("qx", "qxzq")] == [["q", "x"], ["qxzq"]]


def test_a_token_that_an_added_one_cuts_is_lost() -> None:
    content = json.loads(to_tokenizer_json(trained(270, specials=())))
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    content["added_tokens"] = [{"id": 270, "content": "<tool>", **flags}]
    data = json.dumps(content).encode()
    editable = TokenizerJson(from_tokenizer_json(data), data)
    assert _reasons(editable, ["qxz<tool>", "<tool>", "qxz"]) == {1: "lost", 2: "set_apart"}


def test_too_long_a_list_is_refused() -> None:
    with pytest.raises(InputError) as error:
        listed_merges(STARTS["ranks"](), ["x"] * (MOST_LISTED + 1))
    assert error.value.code == "fit.list"
