"""The lattice of one text against enumeration by hand and against sentencepiece."""

import math
import random

import numpy as np
import pytest
import sentencepiece as spm
from sentencepiece import sentencepiece_model_pb2

from engine.errors import InputError
from engine.lattice.lattice import Lattice, VocabularyLattice
from engine.lattice.vocabulary import Vocabulary
from engine.pretokenization import get_pretokenizer

_BYTES = [bytes([byte]) for byte in range(256)]


def vocabulary(tokens: dict[str, float], pretokenizer: str = "none", byte_log_prob: float = -20.0) -> Vocabulary:
    """Tokens with log probabilities; the bytes as given, all others at `byte_log_prob`."""
    single = {token: lp for token, lp in tokens.items() if len(token.encode()) == 1}
    longer = {token.encode(): lp for token, lp in sorted(tokens.items()) if len(token.encode()) > 1}
    log_prob = [single.get(chr(byte), byte_log_prob) for byte in range(256)] + list(longer.values())
    return Vocabulary(_BYTES + list(longer), np.array(log_prob), get_pretokenizer(pretokenizer), False)


_CATS = {
    "c": -2.5,
    "a": -2.3,
    "t": -2.4,
    "s": -2.6,
    "ca": -1.8,
    "cat": -1.2,
    "cats": -3.0,
    "at": -1.9,
    "ats": -2.1,
    "ts": -2.0,
}


def words(lattice: Lattice, path) -> list[str]:
    return [lattice.labels[arc] for arc in path]


def test_the_textbook_lattice() -> None:
    lattice = VocabularyLattice(vocabulary(_CATS), "cats")
    assert lattice.begin.size == 10
    assert words(lattice, lattice.best_path) == ["cats"] and lattice.best_log_prob == -3.0
    # Every one of the 8 segmentations, by hand.
    every = {
        ("c", "a", "t", "s"): -9.8,
        ("ca", "t", "s"): -6.8,
        ("c", "at", "s"): -7.0,
        ("c", "a", "ts"): -6.8,
        ("ca", "ts"): -3.8,
        ("cat", "s"): -3.8,
        ("c", "ats"): -4.6,
        ("cats",): -3.0,
    }
    z = sum(math.exp(lp) for lp in every.values())
    assert lattice.log_z == pytest.approx(math.log(z), abs=1e-12)
    entropy = -sum(math.exp(lp) / z * (lp - math.log(z)) for lp in every.values())
    assert lattice.entropy == pytest.approx(entropy, abs=1e-12)
    nbest = lattice.nbest(20)
    assert {tuple(words(lattice, path.arcs)): pytest.approx(path.log_prob) for path in nbest} == every
    assert sum(path.posterior for path in nbest) == pytest.approx(1.0, abs=1e-12)


def test_a_perfect_tie_goes_to_the_earliest_start() -> None:
    without = {token: lp for token, lp in _CATS.items() if token != "cats"}
    lattice = VocabularyLattice(vocabulary(without), "cats")
    assert words(lattice, lattice.best_path) == ["ca", "ts"]
    last = lattice.viterbi_steps()[-1]
    assert [(c.is_winner, c.is_tie) for c in last.candidates if c.total == last.best] == [(True, False), (False, True)]
    assert words(VocabularyLattice(vocabulary(_CATS), "cats", forbid=["cats"]), lattice.best_path) == ["ca", "ts"]


def test_viterbi_steps_fill_the_table_of_the_textbook() -> None:
    steps = VocabularyLattice(vocabulary(_CATS), "cats").viterbi_steps()
    assert [step.best for step in steps] == pytest.approx([-2.5, -1.8, -1.2, -3.0])
    assert [len(step.candidates) for step in steps] == [1, 2, 3, 4]


def test_greedy_and_fewest_tokens_are_other_answers() -> None:
    lattice = VocabularyLattice(
        vocabulary({"a": -1.0, "b": -1.0, "ab": -9.0, "abc": -30.0, "c": -1.0, "bcd": -2.0, "d": -5.0}), "abcd"
    )
    assert words(lattice, lattice.best_path) == ["a", "bcd"]
    assert words(lattice, lattice.greedy()) == ["abc", "d"]
    assert words(lattice, lattice.fewest_tokens()) == ["abc", "d"] or len(lattice.fewest_tokens()) == 2


def test_what_if_a_token_is_added_forbidden_or_forced() -> None:
    base = vocabulary({"가": -3.0, "나": -3.0, "가나": -9.0})
    assert words(VocabularyLattice(base, "가나"), VocabularyLattice(base, "가나").best_path) == ["가", "나"]
    added = VocabularyLattice(base, "가나가나", add=[("가나", -1.0)])
    assert words(added, added.best_path) == ["가나", "가나"]
    new = VocabularyLattice(base, "나가나", add=[("나가", -0.5)])
    assert words(new, new.best_path) == ["나가", "나"]
    forced = VocabularyLattice(base, "가나", force=[(0, 2)])
    assert words(forced, forced.best_path) == ["가나"] and forced.begin.size == 1
    forbidden = VocabularyLattice(base, "가나", forbid=["나"])
    assert words(forbidden, forbidden.best_path) == ["가나"]
    assert "<0xEB><0x82><0x98>" in forbidden.labels
    with pytest.raises(InputError, match="not a token"):
        VocabularyLattice(base, "가나", force=[(0, 1), (0, 2)])
    with pytest.raises(InputError, match="between -10,000 and 0"):
        VocabularyLattice(base, "가나", add=[("가", 1.0)])


def test_samples_follow_the_posterior() -> None:
    lattice = VocabularyLattice(vocabulary(_CATS), "cats")
    n = 20_000
    draws = lattice.sample(n, seed=7)
    assert draws == lattice.sample(n, seed=7)
    for path in lattice.nbest(20):
        observed = sum(draw == path.arcs for draw in draws)
        assert abs(observed - n * path.posterior) < 5 * math.sqrt(n * path.posterior * (1 - path.posterior)) + 1
    cold = lattice.sample(200, temperature=0.02)
    assert set(cold) == {tuple(lattice.best_path)}
    hot = lattice.sample(4000, temperature=1000.0)
    assert len(set(hot)) == 8
    with pytest.raises(InputError, match="above 0"):
        lattice.sample(1, temperature=0)


def test_an_empty_text_has_one_empty_segmentation() -> None:
    lattice = VocabularyLattice(vocabulary(_CATS), "")
    assert lattice.best_path == [] and lattice.log_z == 0 and lattice.entropy == 0
    assert lattice.nbest(3)[0].posterior == 1
    assert lattice.sample(2) == [(), ()]
    assert lattice.viterbi_steps() == []


def test_ten_thousand_characters_neither_underflow_nor_overflow() -> None:
    text = "가나다" * 3334
    lattice = VocabularyLattice(vocabulary({"가": -9.0, "나": -9.0, "다": -9.0, "가나": -12.0}), text)
    assert math.isfinite(lattice.log_z) and lattice.log_z < -60_000
    per_period = math.log(math.exp(-18.0) + math.exp(-12.0)) - 9.0
    assert lattice.log_z == pytest.approx(3334 * per_period, rel=1e-12)
    assert lattice.marginal[lattice.begin == 0].sum() == pytest.approx(1.0, abs=1e-9)


def _sentencepiece(tokens: dict[str, float]) -> spm.SentencePieceProcessor:
    proto = sentencepiece_model_pb2.ModelProto()
    proto.pieces.add(piece="<unk>", score=0.0, type=2)
    for token, lp in tokens.items():
        proto.pieces.add(piece=token, score=lp, type=1)
    proto.trainer_spec.model_type = 1
    proto.trainer_spec.vocab_size = len(tokens) + 1
    proto.trainer_spec.unk_id = 0
    proto.trainer_spec.bos_id = proto.trainer_spec.eos_id = proto.trainer_spec.pad_id = -1
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = False
    proto.normalizer_spec.remove_extra_whitespaces = False
    proto.normalizer_spec.escape_whitespaces = False
    return spm.SentencePieceProcessor(model_proto=proto.SerializeToString())


def test_nbest_posteriors_and_entropy_equal_sentencepiece() -> None:
    chosen = random.Random(11)
    alphabet = "가나다라마 ."
    tokens = {c: -chosen.uniform(2, 6) for c in alphabet}
    while len(tokens) < 120:
        token = "".join(chosen.choices(alphabet, k=chosen.randint(2, 5)))
        tokens[token] = -round(chosen.uniform(3, 12) * 256) / 256
    processor = _sentencepiece(tokens)
    ours = vocabulary(tokens)
    for _ in range(200):
        text = "".join(chosen.choices(alphabet, k=chosen.randint(1, 14)))
        lattice = VocabularyLattice(ours, text)
        theirs = processor.nbest_encode_as_proto(text, nbest_size=8).nbests
        mine = lattice.nbest(8)
        assert [path.log_prob for path in mine] == pytest.approx([best.score for best in theirs], abs=1e-4)
        assert words(lattice, mine[0].arcs) == [piece.piece for piece in theirs[0].pieces]
        assert lattice.entropy == pytest.approx(processor.calculate_entropy(text, alpha=1.0), abs=1e-4)
        for path in mine:
            assert path.posterior == pytest.approx(math.exp(path.log_prob - lattice.log_z), rel=1e-12)


@pytest.mark.parametrize("runs", [{}, {"쀍".encode()[:2]: -1.0, "뷁".encode()[1:]: -1.0}])
def test_a_path_has_as_many_tokens_as_the_text_is_encoded_with(runs: dict[bytes, float]) -> None:
    tokens = {"가나": -2.0, "다": -3.0}
    longer = sorted([*((token.encode(), lp) for token, lp in tokens.items()), *runs.items()])
    log_prob = np.array([-20.0] * 256 + [lp for _, lp in longer])
    own = Vocabulary(_BYTES + [token for token, _ in longer], log_prob, get_pretokenizer("none"), bool(runs))
    text = "가나다 쀍뷁😀"
    lattice = VocabularyLattice(own, text, add=[("😀", -1.0)])
    numbers = own.encode(text)[0].tolist()
    plain = VocabularyLattice(own, text)
    assert [number for arc in plain.best_path for number in plain.written(arc)] == numbers
    assert plain.n_tokens(plain.best_path) == len(numbers) == (13 - 2 * bool(runs))
    assert lattice.n_tokens(lattice.best_path) == len(numbers) - 3  # what was added is one token
