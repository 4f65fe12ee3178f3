"""Unigram vocabularies with more tokens: what stays as it was, and that the format's library agrees."""

import json

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.fit.changed import extended, trimmed, with_listed
from engine.fit.scored import ALL, KEEP, SCORES, ScoredEditable
from engine.interop.sentencepiece.proto import NORMAL, read_proto
from engine.tokenizer import Encoding, Tokenizer
from tests.engine.fit.starts import LINES, SCORED

_start = st.sampled_from(sorted(SCORED))
_text = st.text(st.sampled_from("the mna다람쥐가를쳇 ,"), max_size=40)
_lines = st.lists(_text, min_size=1, max_size=8)
_few = settings(max_examples=8, deadline=None)


def _log_prob(tokenizer: Tokenizer, ids: list[int]) -> float:
    scores = tokenizer.statistics()["log_prob"]
    return float(np.nan_to_num(scores[ids], nan=-100).sum())


def _stretches(old: Encoding, new: Encoding) -> list[tuple[list[int], list[int]]]:
    """Ids between the boundaries that both have."""
    common = sorted({end for _, end in old.spans} & {end for _, end in new.spans})
    found, begin = [], 0
    for end in common:
        both = [[i for i, (a, b) in zip(*one, strict=True) if begin <= a and b <= end] for one in (old, new)]
        found.append((both[0], both[1]))
        begin = end
    return found


@_few
@given(_start, _lines, _text, st.integers(1, 12), st.sampled_from(SCORES))
def test_texts_come_back_and_old_ids_stay(name: str, lines: list[str], text: str, n: int, how: str) -> None:
    editable = SCORED[name]()
    old, changed = editable.tokenizer, extended(editable, lines, n, 1, how)
    new = changed.tokenizer
    assert old.vocab_size <= new.vocab_size <= old.vocab_size + n
    assert [new.token_label(i) for i in range(old.vocab_size)] == [old.token_label(i) for i in range(old.vocab_size)]
    for line in [*lines, *LINES, text]:
        found = new.encode(line)
        assert b"".join(line.encode()[a:b] for a, b in found.spans) == (line.encode() if found.ids else b"")
    ptr = changed.id_map.ptr.tolist()
    for i in changed.added.tolist():
        sources = changed.id_map.old_ids[ptr[i] : ptr[i + 1]].tolist()
        assert sources and max(sources) < old.vocab_size
        texts = [old.token_bytes(k) for k in sources]
        if all(texts):
            assert b"".join(texts) == new.token_bytes(i)


@_few
@given(_start, _lines, _text, st.integers(1, 12))
def test_where_a_cut_changes_is_a_new_token(name: str, lines: list[str], text: str, n: int) -> None:
    editable = SCORED[name]()
    old, changed = editable.tokenizer, extended(editable, lines, n, 1, KEEP)
    new = changed.tokenizer
    n_old = old.vocab_size
    scores = [tokenizer.statistics()["log_prob"] for tokenizer in (old, new)]
    assert np.array_equal(scores[0], scores[1][:n_old], equal_nan=True)
    for line in [*lines, *LINES, text]:
        before, after = old.encode(line), new.encode(line)
        if max(after.ids, default=0) < n_old:
            assert after == before
        for ids, made in _stretches(before, after):
            if ids != made and max(made, default=0) < n_old:  # equal but for the rounding of sums in 32 bits
                assert abs(_log_prob(old, ids) - _log_prob(old, made)) < 1e-4


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("how", SCORES)
def test_a_vocabulary_extended_by_none_is_the_same_file(name: str, how: str) -> None:
    editable = SCORED[name]()
    for changed in (extended(editable, LINES, 0, 2, how), extended(editable, [" "], 5, 2, how)):
        assert changed.data == editable.data
        assert changed.id_map.old_ids.tolist() == list(range(editable.tokenizer.vocab_size))


def test_the_most_useful_tokens_come_first_and_save_tokens() -> None:
    for name, make in SCORED.items():
        editable = make()
        for how in SCORES:
            sizes = [sum(len(editable.tokenizer.encode(line).ids) for line in LINES)]
            labels: list[str] = []
            for n in (1, 4, 12):
                changed = extended(editable, LINES * 5, n, 2, how)
                sizes.append(sum(len(changed.tokenizer.encode(line).ids) for line in LINES))
                labels = [changed.tokenizer.token_label(i) for i in changed.added.tolist()]
            assert sizes == sorted(sizes, reverse=True) and sizes[-1] < sizes[0], name
            assert len(set(labels)) == len(labels) > 4


def test_all_scores_are_estimated_on_the_text() -> None:
    editable = SCORED["unigram"]()
    n = editable.tokenizer.vocab_size
    changed = extended(editable, LINES[:3] * 20, 3, 2, ALL)
    before, after = editable.tokenizer.statistics()["log_prob"], changed.tokenizer.statistics()["log_prob"]
    assert not np.array_equal(before, after[:n], equal_nan=True)
    kinds = np.array([piece.kind for piece in read_proto(changed.data).pieces])
    assert np.exp(after[kinds == NORMAL]).sum() == pytest.approx(1, abs=0.2)
    label = editable.tokenizer.token_label
    unused = [i for i in range(n) if "를" in label(i) and not np.isnan(before[i])]  # only in the last line
    assert unused
    assert len({after[i] for i in unused}) == 1
    assert after[unused[0]] <= np.nanmin(after[n:])


def test_the_library_reads_the_file_and_cuts_as_we_do() -> None:
    for name in ("unigram", "unigram with bytes", "trained here"):
        changed = extended(SCORED[name](), LINES, 8)
        theirs = sentencepiece.SentencePieceProcessor(model_proto=changed.data)
        for line in [*LINES, "쳇바퀴 the 쳇쳇", "  다람쥐"]:
            assert theirs.encode(line) == changed.tokenizer.encode(line).ids
        old, new = read_proto(SCORED[name]().data), read_proto(changed.data)
        assert new._replace(pieces=[]) == old._replace(pieces=[])


def test_special_tokens_beside_a_vocabulary_keep_their_ids() -> None:
    import tokenizers

    editable = SCORED["json"]()
    n = editable.tokenizer.vocab_size
    changed = extended(editable, LINES, 5)
    theirs = tokenizers.Tokenizer.from_str(changed.data.decode())
    assert theirs.token_to_id("<mask>") == n - 1
    assert [text for text, _ in json.loads(changed.data)["model"]["vocab"]].index("<mask>") == n - 1
    for line in LINES:
        assert theirs.encode(line, add_special_tokens=False).ids == changed.tokenizer.encode(line).ids


def test_characters_that_are_no_tokens_become_some() -> None:
    editable = SCORED["unigram with bytes"]()
    changed = extended(editable, ["가쳇 쳇나 다쳇람 쳇 쳇쥐 를쳇"], 5)
    labels = [changed.tokenizer.token_label(i) for i in changed.added.tolist()]
    assert "쳇" in labels
    rare = extended(editable, ["쳇 다람쥐", "다람쥐"], 5, 2)
    assert "쳇" not in [rare.tokenizer.token_label(i) for i in rare.added.tolist()]


@pytest.mark.parametrize("name", SCORED)
def test_listed_tokens_are_reached(name: str) -> None:
    editable = SCORED[name]()
    wanted = [" 다람쥐는", "람쥐가람", "", " 다람쥐는", "가타", "가타고", "쳇쳇"]
    changed = with_listed(editable, LINES, wanted)
    listed = changed.listed
    assert sorted(listed.left_out) == [3, 4]
    assert {listed.left_out[3].code, listed.left_out[4].code} == {"fit.token_empty", "fit.token_repeated"}
    for i, token in listed.texts.items():
        assert changed.tokenizer.token_bytes(i).decode() == token
    found = changed.tokenizer.encode(" 다람쥐는").ids
    assert max(found) >= editable.tokenizer.vocab_size
    known = editable.tokenizer.token_label(editable.tokenizer.encode(LINES[1]).ids[0]).replace("▁", " ")
    refused = with_listed(editable, [], [known]).listed.left_out
    assert [error.code for error in refused.values()] == ["fit.token_known"]


def test_what_cannot_be_done_is_refused() -> None:
    editable: ScoredEditable = SCORED["json"]()
    for change, code in (
        (lambda: extended(editable, LINES, 600_000), "setting.range"),
        (lambda: extended(editable, LINES, -1), "setting.range"),
        (lambda: extended(editable, LINES, 5, 2, "some"), "fit.scores"),
        (lambda: trimmed(editable, LINES, 20), "fit.only_extend"),
    ):
        with pytest.raises(InputError) as error:
            change()
        assert error.value.code == code
