"""Lattices of imported Unigram files: sentencepiece's own figures, every path written out, and awkward files."""

import json
import math
from itertools import product

import numpy as np
import pytest
import sentencepiece

from engine.errors import InputError
from engine.interop.formats import import_tokenizer
from engine.interop.huggingface.exporter import BYTE_FALLBACK, to_tokenizer_json
from engine.interop.sentencepiece.importer import SentencePieceUnigram, from_sentencepiece
from engine.interop.sentencepiece.proto import NORMAL, UNKNOWN, ModelPiece, SentencePieceProto
from engine.lattice.lattice import Lattice
from engine.measure.distribution import marginal_bits_per_byte, viterbi_bits_per_byte
from engine.tokenizer import Tokenizer, require_probabilities, require_pruning
from tests.engine.interop.test_huggingface_import import peer
from tests.engine.interop.test_sentencepiece_export import korean_lines, trained
from tests.engine.interop.test_sentencepiece_import import SETTINGS, model_file

LINES = ["안녕하세요  한국 abc 쀍쀍 x", "그 말은 abcd 틀렸어", "", "  ", " 한국의 \t영화는ㅋㅋㅋ!! ", "쀍", "½ ①②", "a"]
# What a piece of at most so many characters has few enough paths of.
SHORT = ["그 말은", "한국의 영화", " 쀍 a", "안녕...", "ab\u3000\u3000½"]
HUGGING_FACE = ("t5", "unigram first True", "unigram never False")


def lattice_of(tokenizer: Tokenizer, text: str, **what_if: object) -> Lattice:
    return require_probabilities(tokenizer).lattice(text, **what_if)  # type: ignore[arg-type]


def ids_of(lattice: Lattice, path, unknown: int | None) -> list[int]:
    """Ids as `encode` writes them: neighbours that are unknown are one."""
    ids = [token_id for arc in path for token_id in lattice.written(arc)]
    return [b for a, b in zip([None, *ids], ids, strict=False) if not a == b == unknown]


@pytest.mark.parametrize("settings", SETTINGS)
def test_paths_and_entropy_are_those_of_sentencepiece(settings: str) -> None:
    data = model_file("unigram", settings)
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer = import_tokenizer(data)
    for text in LINES:
        lattice = lattice_of(tokenizer, text)
        assert lattice.entropy == pytest.approx(processor.calculate_entropy(text, 1.0), abs=2e-4), text
        ours = [ids_of(lattice, path.arcs, tokenizer.unknown_id) for path in lattice.nbest(5)]
        theirs = processor.nbest_encode(text, nbest_size=5, out_type=int)
        assert ours[0] == theirs[0] == tokenizer.encode(text).ids
        assert len(ours) == len(theirs)
        # Equal scores may stand in another order: theirs are summed in 32 bits.
        assert sorted(ours) == sorted(theirs) or lattice.nbest(6)[-1].log_prob == pytest.approx(
            lattice.nbest(5)[-1].log_prob, abs=1e-4
        )


def every_path(piece: str, log_prob: dict[str, float], unknown: float) -> list[tuple[float, tuple[str, ...]]]:
    """All segmentations of a piece with their log probabilities; a character that is no token costs `unknown`."""
    if not piece:
        return [(0.0, ())]
    paths = []
    for end in range(1, len(piece) + 1):
        token = piece[:end]
        own = log_prob.get(token, unknown if end == 1 else None)
        if own is not None:
            paths += [(own + rest, (token, *tokens)) for rest, tokens in every_path(piece[end:], log_prob, unknown)]
    return paths


@pytest.mark.parametrize("name", HUGGING_FACE)
def test_figures_are_those_of_all_paths_written_out(name: str) -> None:
    theirs = peer(name)
    tokenizer = import_tokenizer(theirs.to_str().encode())
    log_prob = dict(json.loads(theirs.to_str())["model"]["vocab"])
    unknown = min(log_prob.values()) - 10
    for text in SHORT:
        seen = theirs.normalizer.normalize_str(text)
        pieces = [piece for piece, _ in theirs.pre_tokenizer.pre_tokenize_str(seen)]
        paths = [
            (sum(own for own, _ in choice), [token for _, tokens in choice for token in tokens])
            for choice in product(*(every_path(piece, log_prob, unknown) for piece in pieces))
        ]
        paths.sort(key=lambda path: -path[0])
        log_z = math.log(sum(math.exp(own - paths[0][0]) for own, _ in paths)) + paths[0][0]
        lattice = lattice_of(tokenizer, text)
        assert lattice.text == "".join(pieces)
        assert lattice.n_segmentations == len(paths)
        assert lattice.log_z == pytest.approx(log_z, rel=1e-12)
        assert lattice.entropy == pytest.approx(sum(math.exp(own - log_z) * (log_z - own) for own, _ in paths))
        best = lattice.nbest(3)
        assert [path.log_prob for path in best] == pytest.approx([own for own, _ in paths[:3]])
        assert [lattice.text[lattice.begin[arc] : lattice.end[arc]] for arc in best[0].arcs] == paths[0][1]
        marginal = {}
        for own, tokens in paths:
            ends = np.cumsum([len(token) for token in tokens]).tolist()
            for span in zip([0, *ends[:-1]], ends, strict=True):
                marginal[span] = marginal.get(span, 0.0) + math.exp(own - log_z)
        arcs = zip(lattice.begin.tolist(), lattice.end.tolist(), lattice.marginal.tolist(), strict=True)
        assert {(begin, end): value for begin, end, value in arcs} == pytest.approx(marginal)


def file(name: str) -> bytes:
    settings = name.removeprefix("sentencepiece ")
    return peer(name).to_str().encode() if settings == name else model_file("unigram", settings)


@pytest.mark.parametrize("name", [*HUGGING_FACE, *(f"sentencepiece {name}" for name in SETTINGS)])
def test_the_best_path_is_what_encode_gives(name: str) -> None:
    tokenizer = import_tokenizer(file(name))
    for text in LINES:
        encoding = tokenizer.encode(text)
        lattice = lattice_of(tokenizer, text)
        assert ids_of(lattice, lattice.best_path, tokenizer.unknown_id) == encoding.ids
        assert lattice.n_tokens(lattice.best_path) == len(encoding.ids)
        spans = [lattice.span(arc) for arc in lattice.best_path]
        assert [begin for begin, _ in spans] == [0, *(end for _, end in spans[:-1])][: len(spans)]
        assert not spans or spans[-1][1] == len(text.encode())
        # One arc may be several tokens (bytes), and several arcs one (unknown).
        if [lattice.written(arc) for arc in lattice.best_path] == [[token_id] for token_id in encoding.ids]:
            assert spans == encoding.spans


def test_the_space_before_the_text_stands_for_nothing() -> None:
    tokenizer = from_sentencepiece(model_file("unigram", "defaults"))
    lattice = lattice_of(tokenizer, "쀍 a")
    assert lattice.text == "▁쀍▁a"
    first = lattice.best_path[0]
    assert lattice.labels[first] == "▁" and lattice.span(first) == (0, 0)
    assert lattice.labels[lattice.best_path[1]] == "<unk>" and lattice.span(lattice.best_path[1]) == (0, 3)


@pytest.mark.parametrize("name", ["unigram first True", "sentencepiece defaults", "sentencepiece bytes and symbols"])
def test_what_if(name: str) -> None:
    tokenizer = import_tokenizer(file(name))
    text = "한국의 영화"
    plain = lattice_of(tokenizer, text)
    token = max((plain.labels[arc] for arc in plain.best_path), key=len)
    without = lattice_of(tokenizer, text, forbid=[token])
    assert token not in without.labels
    assert without.log_z < plain.log_z
    character = next(label for label in plain.labels if len(label) == 1 and label != "▁")
    unknown = lattice_of(tokenizer, text, forbid=[character])
    fallback = [arc for arc in range(unknown.begin.size) if unknown.number[arc] == -1]
    assert [unknown.text[unknown.begin[arc]] for arc in fallback] == [character] * text.count(character)
    assert all(unknown.ids[arc] == -1 and unknown.written(arc) for arc in fallback)
    added = lattice_of(tokenizer, text, add=[("국의", -0.1)])
    new = added.labels.index("국의")
    assert (added.number[new], added.ids[new], added.written(new)) == (-2, -1, []) or added.number[new] >= 0
    forced = lattice_of(tokenizer, text, force=[(0, 1)])
    assert 1 in forced.end[forced.best_path].tolist()
    with pytest.raises(InputError, match="not a token of this vocabulary"):
        lattice_of(tokenizer, text, force=[(0, 6)])


def test_our_own_export_has_the_probabilities_of_the_model() -> None:
    model = trained()
    imported = import_tokenizer(to_tokenizer_json(model, BYTE_FALLBACK))
    known = {token.decode() for token in model.vocabulary().tokens if len(token.decode(errors="ignore")) == 1}
    texts = [line for line in korean_lines() if set(line) <= known][:5]
    assert len(texts) == 5
    for text in texts:
        assert lattice_of(imported, text).log_z == pytest.approx(model.lattice(text).log_z, rel=1e-12)
    # Its bytes have a score of minus a million: what is below every float is still a probability.
    odd = lattice_of(imported, "쀍쀍 안녕")
    assert odd.log_z == pytest.approx(odd.best_log_prob, abs=20)
    assert odd.log_z < -1e6 and np.isfinite(odd.entropy)
    assert odd.marginal[odd.best_path].sum() <= len(odd.best_path)
    assert odd.sample(3)


def test_pieces_longer_than_any_of_ours() -> None:
    long = "가" * 300
    pieces = [ModelPiece("<unk>", 0.0, UNKNOWN), ModelPiece(long, -5.0, NORMAL), ModelPiece("가", -1.0, NORMAL)]
    proto = SentencePieceProto(
        pieces=pieces,
        byte_fallback=False,
        normalizer="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )
    lattice = SentencePieceUnigram(proto).lattice(long + "가")
    assert lattice.n_segmentations == 3
    assert lattice.log_z == pytest.approx(-6.0 + math.log(2))
    assert [len(path.arcs) for path in lattice.nbest(3)] == [2, 2, 301]


def test_a_character_that_cannot_be_written() -> None:
    content = {"model": {"type": "Unigram", "unk_id": None, "vocab": [["가", -1.0], ["나", -1.0]]}}
    tokenizer = import_tokenizer(json.dumps(content).encode())
    assert lattice_of(tokenizer, "가나").log_z == pytest.approx(-2.0)
    with pytest.raises(InputError, match="the character '다' is not in the imported vocabulary"):
        lattice_of(tokenizer, "가다나")


def test_an_added_token_is_certain() -> None:
    content = json.loads(peer("t5").to_str())
    content["added_tokens"].append({"id": len(content["model"]["vocab"]), "content": "[표]", "special": False})
    tokenizer = import_tokenizer(json.dumps(content).encode())
    lattice = lattice_of(tokenizer, "한국[표]한국")
    assert "[표]" in [lattice.labels[arc] for arc in lattice.best_path]
    assert ids_of(lattice, lattice.best_path, tokenizer.unknown_id) == tokenizer.encode("한국[표]한국").ids


def test_bits_per_byte_of_an_imported_model() -> None:
    tokenizer = require_probabilities(import_tokenizer(model_file("unigram", "defaults")))
    lines = ["그 말은 틀렸어", "한국의 영화"]
    best, total = viterbi_bits_per_byte(tokenizer, lines), marginal_bits_per_byte(tokenizer, lines)
    assert 0 < total.value <= best.value
    with pytest.raises(InputError, match="has no pruning rounds"):
        require_pruning(tokenizer)
    with pytest.raises(InputError, match="have no probabilities"):
        require_probabilities(import_tokenizer(model_file("bpe", "defaults")))
