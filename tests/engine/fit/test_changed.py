"""What a change must not change: old ids, texts without new tokens, and what a text uses."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.fit.changed import extended, open_editable, trimmed
from engine.fit.editable import Editable, MergeParts
from engine.fit.merges import continue_merges, largest_tokens, used_tokens
from engine.fit.tokenizer_json import TokenizerJson
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.interop.imported.tokenizer import Imported
from engine.tokenizer import Tokenizer
from tests.engine.fit.starts import LINES, SPECIALS, STARTS, trained

_text = st.text(st.sampled_from("the mna다람쥐가를 ,"), max_size=40)
_lines = st.lists(_text, min_size=1, max_size=8)
_start = st.sampled_from(sorted(STARTS))
_few = settings(max_examples=12, deadline=None)


def pretokens_of(tokenizer: Tokenizer, line: str) -> list[str]:
    if isinstance(tokenizer, Imported):
        pretokenizer = STARTS["trained"]().tokenizer.pretokenizer
    else:
        pretokenizer = tokenizer.pretokenizer
    assert pretokenizer is not None
    bounds = pretokenizer.boundaries(to_codes(line)).tolist()
    return [line[a:b] for a, b in pairwise(bounds)]


def _naive_merges(editable: Editable, lines: list[str], n: int) -> list[tuple[int, int, int]]:
    """The new merges, counted anew after each."""
    tokenizer = editable.tokenizer
    words = Counter(word for line in lines for word in pretokens_of(tokenizer, line))
    ids = {word: list(tokenizer.encode(word).ids) for word in words}
    texts = {i: tokenizer.token_bytes(i) for i in range(tokenizer.vocab_size)}
    made_of = {text: i for i, text in texts.items() if text} if editable.merges_by_text else {}
    token = {i: i for i in texts}  # of every number of the run
    merges: list[tuple[int, int, int]] = []
    n_new = 0
    while n_new < n:
        pairs: Counter[tuple[int, int]] = Counter()
        for word, count in words.items():
            for pair in pairwise(ids[word]):
                pairs[pair] += count
        pairs = Counter({pair: count for pair, count in pairs.items() if count > 1})
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        number = len(token)
        for word, symbols in ids.items():
            at = 0
            while at < len(symbols) - 1:
                if (symbols[at], symbols[at + 1]) == best:
                    symbols[at : at + 2] = [number]
                at += 1
            ids[word] = symbols
        left, right = token[best[0]], token[best[1]]
        text = texts[left] + texts[right]
        new = tokenizer.vocab_size + n_new
        made = made_of.setdefault(text, new) if editable.merges_by_text else new
        n_new += made == new
        texts[made] = text
        token[number] = made
        if made >= tokenizer.vocab_size and (left, right, made) not in merges:
            merges.append((left, right, made))
    return merges


@_few
@given(_lines, st.integers(0, 20))
def test_merges_go_on_as_a_naive_program_counts_them(lines: list[str], n: int) -> None:
    for name in ("ranks", "trained"):
        editable = STARTS[name]()
        found = continue_merges(editable, editable.words(lines, 1), n, 2)
        assert [merge[:3] for merge in found] == _naive_merges(editable, lines, n)


@_few
@given(_start, _lines, _text, st.integers(1, 30))
def test_an_extended_vocabulary_changes_only_words_with_a_new_token(
    name: str, lines: list[str], text: str, n: int
) -> None:
    editable = STARTS[name]()
    old = editable.tokenizer
    changed = extended(editable, lines, n)
    new = changed.tokenizer
    assert new.vocab_size <= old.vocab_size + n
    assert [new.token_bytes(i) for i in range(old.vocab_size)] == [old.token_bytes(i) for i in range(old.vocab_size)]
    added = [new.token_bytes(i) for i in range(old.vocab_size, new.vocab_size)]
    for line in [*lines, *LINES, text]:
        assert b"".join(line.encode()[a:b] for a, b in new.encode(line).spans) == line.encode()
        assert len(new.encode(line).ids) <= len(old.encode(line).ids)
        for word in pretokens_of(old, line):
            if not any(token in word.encode() for token in added):
                assert new.encode(word) == old.encode(word)
    bounds = changed.id_map.ptr.tolist()
    for i, token in enumerate(added, old.vocab_size):
        ids = changed.id_map.old_ids[bounds[i] : bounds[i + 1]].tolist()
        assert b"".join(old.token_bytes(k) for k in ids) == token


@pytest.mark.parametrize("name", STARTS)
def test_a_vocabulary_extended_by_none_is_the_same_file(name: str) -> None:
    editable = STARTS[name]()
    changed = extended(editable, LINES, 0)
    assert changed.data == editable.data
    assert changed.id_map.old_ids.tolist() == list(range(editable.tokenizer.vocab_size))
    assert trimmed(editable, LINES, editable.tokenizer.vocab_size, True).data == editable.data


@_few
@given(_start, _lines)
def test_trimming_what_is_never_used_changes_no_encoding(name: str, lines: list[str]) -> None:
    editable = STARTS[name]()
    changed = trimmed(editable, lines, renumbers=True)
    new_id = changed.id_map.new_id_of_old
    for line in lines:
        old, new = editable.tokenizer.encode(line), changed.tokenizer.encode(line)
        assert (new.ids, new.spans) == (new_id[old.ids].tolist() if old.ids else [], old.spans)


@_few
@given(_start, _lines, st.data())
def test_every_kept_token_is_made_of_kept_ones(name: str, lines: list[str], data: st.DataObject) -> None:
    editable = STARTS[name]()
    old, parts = editable.tokenizer, editable.parts()
    least = int(used_tokens(parts, np.zeros(old.vocab_size, dtype=np.int64)).sum())
    changed = trimmed(editable, lines, data.draw(st.integers(least, old.vocab_size)), renumbers=True)
    new_id = changed.id_map.new_id_of_old
    for i in np.flatnonzero((new_id >= 0) & (parts.left >= 0)).tolist():
        text = old.token_bytes(i).decode(errors="ignore")
        if text.encode() == old.token_bytes(i) and old.encode(text).ids == [i]:
            assert changed.tokenizer.encode(text).ids == [new_id[i]]
    for line in LINES:
        found = changed.tokenizer.encode(line)
        assert b"".join(line.encode()[a:b] for a, b in found.spans) == line.encode()


def naive_largest(parts: MergeParts, count: list[int], size: int) -> list[int]:
    kept, count = list(range(len(count))), list(count)
    order = list(kept) if parts.order is None else parts.order.tolist()
    while len(kept) > size:
        used = {int(side[i]) for i in kept for side in (parts.left, parts.right)}
        leaf = min((i for i in kept if not parts.is_fixed[i] and i not in used), key=lambda i: (count[i], -order[i]))
        kept.remove(leaf)
        for part in (int(parts.left[leaf]), int(parts.right[leaf])):
            if part >= 0:
                count[part] += count[leaf]
    return kept


@_few
@given(_start, st.data())
def test_leaves_go_as_a_naive_program_takes_them(name: str, data: st.DataObject) -> None:
    parts = STARTS[name]().parts()
    n = parts.left.size
    count = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), dtype=np.int64)
    size = data.draw(st.integers(int(parts.is_fixed.sum()), n))
    kept = largest_tokens(parts, count, size)
    assert np.flatnonzero(kept).tolist() == naive_largest(parts, count.tolist(), size)


@pytest.mark.parametrize("size", [0, 10, 100_000])
def test_a_size_that_cannot_be_is_refused(size: int) -> None:
    with pytest.raises(InputError) as error:
        trimmed(STARTS["ranks"](), LINES, size)
    assert error.value.code == "fit.size"


def test_a_vocabulary_without_merges_is_refused() -> None:
    for reference, code in (("shipped:thunder-tok-8k", "fit.as_pieces"), ("shipped:wordpiece-32k", "fit.kind")):
        with pytest.raises(InputError) as error:
            open_editable(reference)
        assert error.value.code == code


def test_special_tokens_beside_the_vocabulary_keep_their_ids() -> None:
    content = json.loads(to_tokenizer_json(trained(270, specials=())))
    content["added_tokens"] = [{"id": 270 + i, "content": text, "special": True} for i, text in enumerate(SPECIALS)]
    content["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [270], "tokens": ["<s>"]}},
    }
    for token in content["added_tokens"]:
        token |= dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    data = json.dumps(content).encode()
    editable = TokenizerJson(from_tokenizer_json(data), data)
    changed = extended(editable, LINES, 5)
    theirs = tokenizers.Tokenizer.from_str(changed.data.decode())
    assert [theirs.token_to_id(text) for text in SPECIALS] == [270, 271]
    assert theirs.get_vocab_size() == changed.tokenizer.vocab_size == 277
    assert theirs.encode("the").ids[0] == 270
    smaller = trimmed(editable, LINES[:1], 262, renumbers=True)
    theirs = tokenizers.Tokenizer.from_str(smaller.data.decode())
    assert theirs.get_vocab_size() == 262
    assert [theirs.token_to_id(text) for text in SPECIALS] == smaller.id_map.new_id_of_old[270:].tolist() == [260, 261]
    assert theirs.encode("the").ids[0] == 260
    holes = trimmed(editable, LINES[:1], 262)
    theirs = tokenizers.Tokenizer.from_str(holes.data.decode())
    assert [theirs.token_to_id(text) for text in SPECIALS] == [270, 271]
    assert theirs.get_vocab_size() == 272


def test_a_file_without_merges_is_refused() -> None:
    content = json.loads(to_tokenizer_json(trained()))
    content["model"]["merges"] = []
    data = json.dumps(content).encode()
    with pytest.raises(InputError) as error:
        TokenizerJson(from_tokenizer_json(data), data)
    assert error.value.code == "fit.no_merges"
