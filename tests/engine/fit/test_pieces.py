"""SentencePiece models: what is removed, and that SentencePiece itself encodes the rest as before."""

from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from engine.config import TrainingSettings
from engine.errors import InputError
from engine.fit.changed import as_editable, extended, open_editable, trimmed, with_listed
from engine.fit.merges import largest_tokens, used_tokens
from engine.fit.pieces import PieceFile
from engine.interop.sentencepiece.proto import NORMAL
from engine.training import train
from tests.engine.fit.starts import LINES, PIECES
from tests.engine.fit.test_changed import naive_largest

_UNIGRAM = [name for name in PIECES if name.startswith("unigram")]
_MERGED = [name for name in PIECES if name not in _UNIGRAM]
_start = st.sampled_from(sorted(PIECES))
_lines = st.lists(st.text(st.sampled_from("the mna다람쥐가를쳇 ,"), max_size=40), min_size=1, max_size=8)
_few = settings(max_examples=10, deadline=None)


def _ids(data: bytes, lines: list[str]) -> list[list[int]]:
    return sentencepiece.SentencePieceProcessor(model_proto=data).encode(lines)


@_few
@given(_start, _lines, st.booleans())
def test_trimming_what_is_never_used_changes_no_encoding(name: str, lines: list[str], renumbers: bool) -> None:
    editable = PIECES[name]()
    if name not in _UNIGRAM:
        renumbers = True
    changed = trimmed(editable, lines, renumbers=renumbers)
    new_id = changed.id_map.new_id_of_old
    assert changed.tokenizer.vocab_size == ((new_id >= 0).sum() if renumbers else new_id.size)
    assert _ids(changed.data, lines) == [new_id[ids].tolist() if ids else [] for ids in _ids(editable.data, lines)]


@pytest.mark.parametrize("name", PIECES)
def test_what_is_trimmed_by_none_is_the_same_file(name: str) -> None:
    editable = PIECES[name]()
    changed = trimmed(editable, LINES, editable.tokenizer.vocab_size, True)
    assert changed.data == editable.data
    assert changed.added.size == changed.removed.size == 0


@_few
@given(_start, st.data())
def test_pieces_go_as_a_naive_program_takes_them(name: str, data: st.DataObject) -> None:
    parts = PIECES[name]().parts()
    n = parts.left.size
    count = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.int64)
    size = data.draw(st.integers(int(used_tokens(parts, np.zeros_like(count)).sum()), n))
    kept = largest_tokens(parts, count, size)
    assert np.flatnonzero(kept).tolist() == naive_largest(parts, count.tolist(), size)


@pytest.mark.parametrize("name", _UNIGRAM)
def test_without_a_text_the_least_probable_pieces_go(name: str) -> None:
    editable = PIECES[name]()
    pieces = editable.tokenizer.proto.pieces
    size = editable.tokenizer.vocab_size - 5
    changed = trimmed(editable, [], size, renumbers=True)
    normal = [i for i, piece in enumerate(pieces) if piece.kind == NORMAL]
    stays = min(normal, key=lambda i: pieces[i].score)  # the score of unknown characters is below the lowest
    long = [i for i in normal if len(pieces[i].text) > 1 and i != stays]
    assert changed.removed.tolist() == sorted(sorted(long, key=lambda i: (pieces[i].score, -i))[:5])
    assert changed.tokenizer.vocab_size == size


@_few
@given(_start, _lines, st.data())
def test_every_kept_piece_is_still_reached(name: str, lines: list[str], data: st.DataObject) -> None:
    editable = PIECES[name]()
    parts = editable.parts()
    n = parts.left.size
    least = int(used_tokens(parts, np.zeros(n, dtype=np.int64)).sum())
    changed = trimmed(editable, lines, data.draw(st.integers(least, n)), renumbers=True)
    new_id = changed.id_map.new_id_of_old
    texts = [editable.tokenizer.token_bytes(i).decode(errors="ignore") for i in range(n)]
    for i in np.flatnonzero(new_id >= 0).tolist():
        if (old := _ids(editable.data, [texts[i]])[0])[-1:] == [i]:
            assert _ids(changed.data, [texts[i]])[0] == new_id[old].tolist()


def test_everything_but_the_pieces_stays() -> None:
    for name, make in PIECES.items():
        editable = make()
        changed = trimmed(editable, LINES[:1], renumbers=True)
        old, new = (ModelProto.FromString(data) for data in (editable.data, changed.data))
        ids = changed.id_map.new_id_of_old
        for special in ("unk", "bos", "eos"):
            assert getattr(new.trainer_spec, f"{special}_id") == ids[getattr(old.trainer_spec, f"{special}_id")]
            new.trainer_spec.ClearField(f"{special}_id")
            old.trainer_spec.ClearField(f"{special}_id")
        theirs = sentencepiece.SentencePieceProcessor(model_proto=changed.data)
        before = sentencepiece.SentencePieceProcessor(model_proto=editable.data)
        assert [theirs.bos_id(), theirs.unk_id()] == ids[[before.bos_id(), before.unk_id()]].tolist()
        assert new.trainer_spec.vocab_size == len(new.pieces) == theirs.get_piece_size()
        for message in (old, new):
            del message.pieces[:]
            message.trainer_spec.vocab_size = 0
        assert new == old, name


def test_models_trained_here_for_sentencepiece_become_its_file() -> None:
    for algorithm in ("thunder-tok", "unigram"):
        chosen = TrainingSettings(algorithm=algorithm, vocab_size=275, sentencepiece_safe=True, min_count=2)
        model = train(LINES * 3, chosen)
        changed = trimmed(as_editable(model), LINES, renumbers=True)
        assert changed.tokenizer.vocab_size < model.vocab_size + 129
        new_id = changed.id_map.new_id_of_old
        assert _ids(changed.data, LINES) == [new_id[model.encode(line).ids].tolist() for line in LINES]


@_few
@given(st.sampled_from(_MERGED), _lines, st.integers(0, 20))
def test_more_merged_pieces_change_only_words_with_one(name: str, lines: list[str], n: int) -> None:
    editable = PIECES[name]()
    old = editable.tokenizer
    changed = extended(editable, lines, n)
    pieces = changed.tokenizer.proto.pieces
    assert [*old.proto.pieces] == pieces[: old.vocab_size] and len(pieces) <= old.vocab_size + n
    added = [piece.text for piece in pieces[old.vocab_size :]]
    scores = [piece.score for piece in pieces[old.vocab_size :]]
    assert scores == sorted(set(scores), reverse=True)
    assert all(score < min(piece.score for piece in old.proto.pieces if piece.kind == NORMAL) for score in scores)
    for line in [*lines, *LINES]:
        found = changed.tokenizer.encode(line)
        assert _ids(changed.data, [line]) == [found.ids]
        assert b"".join(line.encode()[a:b] for a, b in found.spans) == (line.encode() if found.ids else b"")
        for word in line.split():
            if not any(text.removeprefix("▁") in word for text in added):
                assert _ids(changed.data, [word]) == _ids(editable.data, [word])
    ptr = changed.id_map.ptr.tolist()
    for i in changed.added.tolist():
        assert changed.id_map.old_ids[ptr[i] : ptr[i + 1]].tolist() == old.spell(pieces[i].text)
    if not n:
        assert changed.data == editable.data


@pytest.mark.parametrize("name", _MERGED)
def test_fewer_new_pieces_are_the_first_of_more(name: str) -> None:
    editable = PIECES[name]()
    lines = [*LINES * 3, "쳇쳇 쳇바퀴 ♥"]
    labels = {n: [*extended(editable, lines, n).tokenizer.proto.pieces] for n in (1, 5, 12)}
    n_old = editable.tokenizer.vocab_size
    assert labels[12][: n_old + 5] == labels[5][: n_old + 5] and labels[5][: n_old + 1] == labels[1]
    added = [piece.text for piece in labels[12][n_old:]]
    assert "쳇" in added and "♥" not in added  # a character that the file lacks, and one that occurs once
    for k, text in enumerate(added):  # every piece is merged from earlier ones
        known = {piece.text for piece in labels[12][: n_old + k]}
        assert len(text) == 1 or any(text[:i] in known and text[i:] in known for i in range(1, len(text)))


@pytest.mark.parametrize("name", _MERGED)
def test_listed_pieces_are_reached(name: str) -> None:
    editable = PIECES[name]()
    changed = with_listed(editable, LINES, [" 다람쥐쳇", "쳇", "", "쳇", "다람 쥐", "the", "<tool>"])
    listed = changed.listed
    assert {line: error.code for line, error in listed.left_out.items() if line in (3, 4)} == {
        3: "fit.token_empty",
        4: "fit.token_repeated",
    }
    assert {"▁다람쥐쳇", "쳇"} <= {changed.tokenizer.token_label(i) for i in listed.texts}
    for i in listed.texts:
        assert changed.tokenizer.spell(changed.tokenizer.token_label(i)) == [i]
    assert sorted([*listed.parts(), *listed.texts]) == changed.added.tolist()
    assert _ids(changed.data, [" 다람쥐쳇"])[0][-1] == min(i for i, text in listed.texts.items() if text == " 다람쥐쳇")


@pytest.mark.parametrize("name", ["llama2", pytest.param("gemma2", marks=pytest.mark.slow)])
def test_public_pieces_are_extended(name: str) -> None:
    try:
        editable = open_editable(f"public:{name}")
    except InputError as error:
        pytest.skip(str(error))
    changed = with_listed(editable, LINES, [" 뷁다람쥐", "뷁쥐"])
    assert [changed.tokenizer.token_label(i) for i in sorted(changed.listed.texts)] == ["▁뷁다람쥐", "뷁쥐"]
    changed = extended(editable, LINES * 3, 4)
    assert changed.added.size == 4
    assert sum(map(len, _ids(changed.data, LINES))) < sum(map(len, _ids(editable.data, LINES)))


_REAL = Path(__file__).parents[3].parent / "shared" / "data"


def test_real_models_are_extended() -> None:
    path = _REAL / "tokenizers" / "kortok-sp-32k.model"
    if not path.is_file():
        pytest.skip("../shared/data/tokenizers has the models of kortok")
    editable = open_editable(path)
    assert isinstance(editable, PieceFile)
    lines = (_REAL / "ko_reviews_small.txt").read_text(encoding="utf-8").splitlines()[:1000]
    for changed in (extended(editable, lines, 100), with_listed(editable, lines, [" 꿀잼각", "핵노잼", "ᄏᄏᄏ"])):
        assert changed.added.size >= 3 and not changed.listed.left_out
        found = _ids(changed.data, lines)
        assert found == [changed.tokenizer.encode(line).ids for line in lines]
        assert sum(map(len, found)) < sum(map(len, _ids(editable.data, lines)))


def test_merged_pieces_have_no_gaps() -> None:
    with pytest.raises(InputError) as error:
        trimmed(PIECES["pieces"](), LINES[:1])
    assert error.value.code == "fit.holes"
    with pytest.raises(InputError) as error:
        trimmed(PIECES["pieces"](), LINES, 3)
    assert error.value.code == "fit.size"
