"""The fast engine against the enumeration of all segmentations, on small random corpora (to 1e-9)."""

import itertools
import random
from collections.abc import Iterable
from dataclasses import replace

import numba
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.config import CONTEXTS, MEMBERSHIPS, SCORES, SEED_VOCABULARIES, TrainingSettings
from engine.lattice.lattice import Lattice
from engine.pruning_scores import PRUNING_SCORES
from tests import naive
from tests import oracle_adapter as engine

# Two letters; words and phrases; characters of 2, 3 and 4 bytes, ꀀ with a byte that it holds twice; odd white space.
ALPHABETS = ["ab", "ab ", "가나다 .", "ꀀꀁ 가.", "é가😀a ", "가a \t\u3000"]
PRETOKENIZERS = ["none", "whitespace", "thunder-tok", "gpt2"]
TOLERANCE = 1e-9

Spans = tuple[tuple[int, int], ...]

# As plain Python a third of the examples reaches the same lines of the kernels.
_EXAMPLES = 6 if numba.config.DISABLE_JIT else 16
few = settings(max_examples=_EXAMPLES, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
many = settings(few, max_examples=4 * _EXAMPLES)


@st.composite
def corpora(draw: st.DrawFn, max_length: int = 8) -> list[str]:
    """1 to 6 lines, some of them equal, some of them empty."""
    line = st.text(draw(st.sampled_from(ALPHABETS)), max_size=max_length)
    pool = draw(st.lists(line, min_size=1, max_size=4))
    lines = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=6))
    assume(any(lines))
    return lines


@st.composite
def training_settings(draw: st.DrawFn, **fixed: object) -> TrainingSettings:
    choices = {
        "pretokenizer": st.sampled_from(PRETOKENIZERS),
        "seed_vocabulary": st.sampled_from(SEED_VOCABULARIES),
        "seed_factor": st.sampled_from([1.0, 1.02, 2.0]),
        "min_count": st.integers(1, 2),
        "vocab_size": st.just(256),
    } | {name: st.just(value) for name, value in fixed.items()}
    return TrainingSettings(**{name: draw(choice) for name, choice in choices.items()})


@st.composite
def random_log_probs(draw: st.DrawFn, tokens: list[bytes], grid: bool = False) -> naive.Vocabulary:
    """A random part of the tokens (all bytes) with random probabilities: multiples of 1/4 on a `grid`, full of ties."""
    numbers = random.Random(draw(st.integers(0, 2**32)))
    spread = draw(st.sampled_from([2.0, 10.0, 60.0]))
    kept = draw(st.sampled_from([0.4, 0.8, 1.0]))
    log_probs = {t: -numbers.uniform(0.01, spread) for t in tokens if len(t) == 1 or numbers.random() < kept}
    return {token: round(4 * log) / 4 - 0.25 for token, log in log_probs.items()} if grid else log_probs


def vocabularies(lines: list[str], chosen: TrainingSettings, grid: bool = False) -> st.SearchStrategy[naive.Vocabulary]:
    """Random parts of the seed vocabulary with random probabilities."""
    return random_log_probs(sorted(naive_seed(lines, chosen)), grid)


def naive_corpus(lines: list[str], chosen: TrainingSettings) -> list[naive.Sentence]:
    return engine.sentences(lines, chosen)


def naive_seed(lines: list[str], chosen: TrainingSettings) -> naive.Vocabulary:
    return naive.seed_vocabulary(
        naive.distinct_pretokens(naive_corpus(lines, chosen)),
        chosen.seed_vocabulary,
        chosen.min_count,
        chosen.max_token_bytes,
        chosen.max_seed,
        int(chosen.seed_factor * chosen.vocab_size),
    )


def assert_close(actual: dict[bytes, float], expected: dict[bytes, float]) -> None:
    assert set(actual) == set(expected)
    worst = max(expected, key=lambda token: abs(actual[token] - expected[token]))
    assert actual[worst] == pytest.approx(expected[worst], rel=TOLERANCE, abs=TOLERANCE), worst


# The corpus and the seed vocabulary -----------------------------------------------------------------------------------


@few
@given(corpora(), training_settings())
def test_pretoken_counts(lines, chosen):
    assert engine.pretoken_counts(lines, chosen) == naive.distinct_pretokens(naive_corpus(lines, chosen))


@many
@given(st.data(), corpora())
def test_seed_vocabulary(data, lines):
    limits = {"max_token_bytes": data.draw(st.sampled_from([1, 2, 4, 7, 32]))}
    limits["max_seed"] = data.draw(st.sampled_from([1, 5, 1_000_000]))
    chosen = data.draw(training_settings(**limits))
    assert_close(engine.seed_vocabulary(engine.make_trainer(lines, chosen)), naive_seed(lines, chosen))


# EM and the statistics of sentences -----------------------------------------------------------------------------------


# Of each of several cases, which together are many.
some = settings(few, max_examples=2 * few.max_examples)


@pytest.mark.parametrize("membership", MEMBERSHIPS)
@pytest.mark.parametrize("context", CONTEXTS)
@some
@given(data=st.data(), lines=corpora(), shard_chars=st.sampled_from([1, 4, 500_000]))
def test_expectation_and_statistics(membership, context, data, lines, shard_chars):
    chosen = data.draw(training_settings(membership=membership, context=context))
    vocabulary = data.draw(vocabularies(lines, chosen))
    compare_statistics(lines, chosen, vocabulary, shard_chars)


@pytest.mark.parametrize("alphabet", ["ab", "aab ", "ꀀ가"])
@some
@given(data=st.data())
def test_inclusion_of_tokens_that_occur_far_apart(alphabet, data):
    # Short tokens on longer lines: what one occurrence changes has died out before the next one.
    chosen = TrainingSettings(
        vocab_size=256,
        pretokenizer="none",
        seed_vocabulary="ngrams",
        min_count=1,
        max_token_bytes=data.draw(st.sampled_from([2, 3])) if alphabet.isascii() else 3,
    )
    lines = data.draw(st.lists(st.text(alphabet, min_size=8, max_size=13), min_size=1, max_size=2))
    compare_statistics(lines, chosen, data.draw(vocabularies(lines, chosen)))


@pytest.mark.parametrize("membership", MEMBERSHIPS)
@settings(few, max_examples=3)
@given(data=st.data())
def test_tokens_that_repeat_in_a_sentence_of_many_pretokens(membership, data):
    # Words that share tokens with many others, and one that repeats its own.
    chosen = TrainingSettings(
        vocab_size=256, pretokenizer="whitespace", seed_vocabulary="ngrams", min_count=1, membership=membership
    )
    lines = [" ".join(["ab", "ba"] * 400 + ["abcdefg"] * 3 + ["abab", "ba"] * 20), "ba abcdefg", "ab"]
    compare_statistics(lines, chosen, data.draw(vocabularies(lines, chosen)))


@pytest.mark.parametrize("membership", ["inclusion", "expected"])
@some
@given(data=st.data(), lines=st.lists(st.text("ꀀꀁ가éa", min_size=1, max_size=4), min_size=1, max_size=4))
def test_partial_characters(membership, data, lines):
    # Written with a letter for every byte, runs of bytes inside a character are ordinary tokens to the oracle: UTF-8
    # does not let them stand anywhere else, and no character is ever without a way to write it.
    letters = {byte: chr(ord("A") + k) for k, byte in enumerate(sorted(set("".join(lines).encode())))}

    def spell(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    chosen = TrainingSettings(
        vocab_size=256, pretokenizer="none", min_count=1, partial_characters=True, membership=membership
    )
    tokens = engine.seed_vocabulary(engine.make_trainer(lines, chosen))
    vocabulary = data.draw(random_log_probs(list(tokens)))
    spelled = {spell(t).encode(): log for t, log in vocabulary.items() if set(t) <= set(letters)}
    corpus = [(spell(line.encode()),) for line in lines]

    step = engine.expectation_step(engine.make_trainer(lines, chosen), vocabulary)
    expected = naive.statistics(corpus, spelled, membership, "sentence")
    assert step.log_likelihood == pytest.approx(naive.log_likelihood(corpus, spelled), rel=TOLERANCE, abs=TOLERANCE)
    for actual, oracle in (
        (step.counts, naive.e_step(corpus, spelled)),
        (step.sentence_prob, {token: stats.sentence_prob for token, stats in expected.items()}),
        (step.branching_entropy, {token: stats.branching_entropy for token, stats in expected.items()}),
    ):
        assert_close({spell(t).encode(): x for t, x in actual.items() if set(t) <= set(letters)}, oracle)

    lattice = engine.make_lattice(lines[0], vocabulary, chosen)
    paths = naive.segmentations(*corpus[0], spelled)
    best = engine.encode(lines[0], vocabulary, chosen)
    assert lattice.log_z == pytest.approx(naive.log_z(paths), abs=TOLERANCE)
    assert lattice.best_log_prob == pytest.approx(naive.log_prob(naive.viterbi(paths)), abs=TOLERANCE)
    assert b"".join(best) == lines[0].encode()
    assert sum(vocabulary[token] for token in best) == pytest.approx(lattice.best_log_prob, abs=TOLERANCE)


def compare_statistics(
    lines: list[str], chosen: TrainingSettings, vocabulary: naive.Vocabulary, shard_chars: int = 500_000
) -> None:
    step = engine.expectation_step(engine.make_trainer(lines, chosen, shard_chars), vocabulary)
    corpus = naive_corpus(lines, chosen)
    expected = naive.statistics(corpus, vocabulary, chosen.membership, chosen.context)
    assert_close(step.counts, naive.e_step(corpus, vocabulary))
    assert step.log_likelihood == pytest.approx(naive.log_likelihood(corpus, vocabulary), rel=TOLERANCE, abs=TOLERANCE)
    assert_close(step.sentence_prob, {token: stats.sentence_prob for token, stats in expected.items()})
    assert_close(step.branching_entropy, {token: stats.branching_entropy for token, stats in expected.items()})


@few
@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-12, 1e9)), min_size=256, max_size=260))
def test_m_step(numbers):
    tokens = [*naive.BYTES, b"aa", b"ab", b"ba", b"bb"]
    counts = dict(zip(tokens, numbers, strict=False))
    assert_close(engine.m_step(counts), naive.m_step(counts))


@pytest.mark.parametrize("score", [name for name, score in PRUNING_SCORES.items() if score.is_stored])
@many
@given(data=st.data(), lines=corpora(), grid=st.booleans())
def test_scores_that_need_the_best_segmentations(score, data, lines, grid):
    chosen = data.draw(training_settings(score=score))
    vocabulary = data.draw(vocabularies(lines, chosen, grid))
    scores = engine.pruning_scores(score, engine.make_trainer(lines, chosen), vocabulary)
    assert_close(scores, naive.scores_of(score, naive_corpus(lines, chosen), vocabulary, {}, chosen.context))


# Training -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("membership", MEMBERSHIPS)
@pytest.mark.parametrize("context", CONTEXTS)
@settings(few, max_examples=2 * few.max_examples // 5)  # of each of thirty combinations
@given(data=st.data(), lines=corpora())
def test_training_round_by_round(score, membership, context, data, lines):
    special_tokens = data.draw(st.sampled_from([(), ("<s>", "</s>")]))
    options = {
        "score": score,
        "membership": membership,
        "context": context,
        "special_tokens": special_tokens,
        "shrink": data.draw(st.sampled_from([0.1, 0.25, 0.6])),
        "sub_iterations": data.draw(st.integers(1, 3)),
    }
    chosen = data.draw(training_settings(**options))
    vocabulary = naive_seed(lines, chosen)
    n_prunable = len(vocabulary) - 256
    size = 256 + len(special_tokens) + data.draw(st.integers(0, n_prunable))
    chosen = replace(chosen, vocab_size=size)
    vocabulary = naive_seed(lines, chosen)  # BPE's depends on the size

    trained = engine.train(lines, chosen)
    for actual, expected in zip(trained, naive_rounds(lines, chosen, vocabulary), strict=True):
        assert_close(actual.vocabulary, expected.vocabulary)
        assert_close(actual.sentence_prob, {token: s.sentence_prob for token, s in expected.statistics.items()})
        assert_close(actual.branching_entropy, {token: s.branching_entropy for token, s in expected.statistics.items()})
        assert actual.removed == set(expected.removed)
        assert actual.n_tokens == pytest.approx(sum(expected.counts.values()), abs=TOLERANCE)


def naive_rounds(lines: list[str], chosen: TrainingSettings, vocabulary: naive.Vocabulary) -> list[naive.Round]:
    corpus = naive_corpus(lines, chosen)
    rounds = []
    n_specials = len(chosen.special_tokens)
    while len(vocabulary) + n_specials > chosen.vocab_size:
        rounds.append(
            naive.pruning_round(
                corpus,
                vocabulary,
                chosen.vocab_size,
                chosen.score,
                chosen.membership,
                chosen.context,
                chosen.shrink,
                chosen.sub_iterations,
                n_specials,
            )
        )
        assume(is_decidable(rounds[-1]))
        vocabulary = rounds[-1].survivors
    rounds.append(naive.last_round(corpus, vocabulary, chosen.membership, chosen.context, chosen.sub_iterations))
    return rounds


def is_decidable(round_: naive.Round) -> bool:
    """Whether rounding errors have no say in who is pruned: no expected count at the limit, and no score so close to
    the next that it is unclear whether they are the same."""
    if any(abs(count - naive.RARE) < TOLERANCE for count in round_.counts.values()):
        return False
    if any(0 < stats.branching_entropy < 1e-5 for stats in round_.statistics.values()):
        return False
    ascending = sorted(round_.scores.values())
    return not any(1e-12 < (b - a) / max(abs(a), abs(b)) < 1e-8 for a, b in itertools.pairwise(ascending) if a != b)


# Lattices -------------------------------------------------------------------------------------------------------------


@many
@given(data=st.data(), lines=corpora(max_length=9))
def test_lattice(data, lines):
    chosen = data.draw(training_settings())
    vocabulary = data.draw(vocabularies(lines, chosen))
    text = max(lines, key=len)
    compare_lattice(engine.make_lattice(text, vocabulary, chosen), text, vocabulary, chosen)


@many
@given(data=st.data(), lines=corpora(max_length=9))
def test_lattice_with_ties(data, lines):
    # On the grid sums are exact, so the order of equal segmentations is the oracle's to the last one.
    chosen = data.draw(training_settings())
    vocabulary = data.draw(vocabularies(lines, chosen, grid=True))
    text = max(lines, key=len)
    lattice = engine.make_lattice(text, vocabulary, chosen)
    best = naive.nbest(paths_of(text, vocabulary, chosen), 12)
    assert [spans_of(lattice, path.arcs) for path in lattice.nbest(12)] == [spans(path) for path in best]
    assert spans_of(lattice, lattice.best_path) == spans(best[0])
    assert lattice.best_log_prob == naive.log_prob(best[0])
    assert engine.encode(text, vocabulary, chosen) == naive.tokens_of(best[0])


@many
@given(data=st.data(), lines=corpora())
def test_what_if_a_token_is_forbidden(data, lines):
    chosen = data.draw(training_settings())
    vocabulary = data.draw(vocabularies(lines, chosen))
    text = max(lines, key=len)
    tokens = sorted(token for token in vocabulary if len(token) > 1)
    assume(tokens)
    token = data.draw(st.sampled_from(tokens))
    lattice = engine.make_lattice(text, vocabulary, chosen, forbid=(token.decode(),))
    compare_lattice(lattice, text, {t: log for t, log in vocabulary.items() if t != token}, chosen)


@many
@given(data=st.data(), lines=corpora())
def test_what_if_a_token_is_added(data, lines):
    chosen = data.draw(training_settings())
    vocabulary = data.draw(vocabularies(lines, chosen))
    text = max(lines, key=len)
    begin = data.draw(st.integers(0, len(text) - 1))
    token = text[begin : data.draw(st.integers(begin + 1, len(text)))]
    lattice = engine.make_lattice(text, vocabulary, chosen, add=((token, -1.5),))
    compare_lattice(lattice, text, vocabulary | {token.encode(): -1.5}, chosen)


@few
@given(data=st.data(), lines=corpora())
def test_what_if_an_arc_is_forced(data, lines):
    chosen = data.draw(training_settings())
    vocabulary = data.draw(vocabularies(lines, chosen))
    text = max(lines, key=len)
    paths = paths_of(text, vocabulary, chosen)
    forced = data.draw(st.sampled_from(sorted({(arc.begin, arc.end) for path in paths for arc in path})))
    lattice = engine.make_lattice(text, vocabulary, chosen, force=(forced,))
    through = [path for path in paths if forced in spans(path)]
    assert lattice.log_z == pytest.approx(naive.log_z(through), abs=TOLERANCE)
    assert lattice.entropy == pytest.approx(naive.entropy(through), abs=TOLERANCE)


def compare_lattice(lattice: Lattice, text: str, vocabulary: naive.Vocabulary, chosen: TrainingSettings) -> None:
    paths = paths_of(text, vocabulary, chosen)
    marginals = naive.marginals(paths)
    every = range(lattice.begin.size)
    found = dict(zip(spans_of(lattice, every), every, strict=True))
    assert len(found) == len(every)
    assert set(found) == {(arc.begin, arc.end) for arc in marginals}
    for arc, marginal in marginals.items():
        a = found[arc.begin, arc.end]
        assert lattice.log_prob[a] == pytest.approx(arc.log_prob, abs=TOLERANCE)
        assert lattice.marginal[a] == pytest.approx(marginal, abs=TOLERANCE)
    assert lattice.log_z == pytest.approx(naive.log_z(paths), abs=TOLERANCE)
    assert lattice.entropy == pytest.approx(naive.entropy(paths), abs=TOLERANCE)
    assert lattice.boundary_prob == pytest.approx(naive.boundary_probs(paths), abs=TOLERANCE)
    assert lattice.best_log_prob == pytest.approx(max(map(naive.log_prob, paths)), abs=TOLERANCE)

    k = len(paths) + 1  # one more than there are
    best = lattice.nbest(k)
    expected = naive.nbest(paths, k)
    assert [path.log_prob for path in best] == pytest.approx(list(map(naive.log_prob, expected)), abs=TOLERANCE)
    assert sum(path.posterior for path in best) == pytest.approx(1, abs=TOLERANCE)
    posterior = dict(zip(map(spans, paths), naive.posteriors(paths), strict=True))
    assert {spans_of(lattice, path.arcs): path.posterior for path in best} == pytest.approx(posterior, abs=TOLERANCE)


def paths_of(text: str, vocabulary: naive.Vocabulary, chosen: TrainingSettings) -> list[naive.Segmentation]:
    return naive.sentence_segmentations(naive_corpus([text], chosen)[0], vocabulary)


def spans(path: naive.Segmentation) -> Spans:
    return tuple((arc.begin, arc.end) for arc in path)


def spans_of(lattice: Lattice, path: Iterable[int]) -> Spans:
    return tuple((int(lattice.begin[arc]), int(lattice.end[arc])) for arc in path)
