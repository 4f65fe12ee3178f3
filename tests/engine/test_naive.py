"""The oracle itself, against numbers worked out by hand and against the lessons' printed ones."""

import math
from collections import Counter

import pytest

from engine.config import SCORES
from tests import naive

HUG = Counter({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})


def with_bytes(log_probs: dict[str, float], byte_log_prob: float = -20.0) -> naive.Vocabulary:
    """A vocabulary of these tokens, all other bytes improbable."""
    return dict.fromkeys(naive.BYTES, byte_log_prob) | {token.encode(): log for token, log in log_probs.items()}


def hug_vocabulary() -> naive.Vocabulary:
    """The lesson's base vocabulary: all strict substrings of the words, by their counts (210 in all)."""
    counts = naive.substring_counts(HUG, linguistic=False)
    strict = {word[i:j] for word in HUG for i in range(len(word)) for j in range(i + 1, len(word) + 1)} - {
        word for word in HUG if not any(word != other and word in other for other in HUG)
    }
    total = sum(counts[text] for text in strict)
    assert total == 210
    return with_bytes({text: math.log(counts[text] / total) for text in strict})


def texts_of(path: naive.Segmentation) -> list[str]:
    return [token.decode() for token in naive.tokens_of(path)]


# The lessons' examples ------------------------------------------------------------------------------------------------


def test_hug_corpus_has_the_counts_of_the_lesson():
    counts = naive.substring_counts(HUG, linguistic=False)
    slides = {"h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "p": 17, "pu": 17, "n": 16, "un": 16, "b": 4, "bu": 4}
    slides |= {"s": 5, "hug": 15, "gs": 5, "ugs": 5}
    assert {text: counts[text] for text in slides} == slides
    assert set(counts) - set(slides) == {"pug", "pun", "bun", "hugs"}  # whole words that stand in no other word


def test_pug_has_the_probabilities_of_its_segmentations():
    weights = {
        "|".join(texts_of(path)): math.exp(naive.log_prob(path))
        for path in naive.segmentations("pug", hug_vocabulary())
    }
    # A printed course takes 5 for the counts of p and pu, which are 17.
    assert weights == pytest.approx(
        {"p|u|g": 17 * 36 * 20 / 210**3, "pu|g": 17 * 20 / 210**2, "p|ug": 17 * 20 / 210**2}, rel=1e-12
    )
    assert weights["p|u|g"] == pytest.approx(0.0013217, abs=1e-7)
    assert weights["pu|g"] == pytest.approx(0.0077098, abs=1e-7)


def test_unhug_is_found_position_by_position():
    vocabulary = hug_vocabulary()
    best = [naive.viterbi(naive.segmentations("unhug"[:n], vocabulary)) for n in range(1, 6)]
    assert [texts_of(path) for path in best] == [["u"], ["un"], ["un", "h"], ["un", "hu"], ["un", "hug"]]
    probs = [math.exp(naive.log_prob(path)) for path in best]
    assert probs == pytest.approx([0.171429, 0.076190, 0.005442, 0.005442, 0.005442], abs=1e-6)


def test_hug_corpus_starts_at_the_printed_loss():
    corpus = [(word,) for word, count in HUG.items() for _ in range(count)]
    vocabulary = hug_vocabulary()
    loss = -sum(naive.log_prob(naive.viterbi(naive.segmentations(word, vocabulary))) for (word,) in corpus)
    assert loss == pytest.approx(169.80, abs=0.005)
    # hugs is a tie of three (15 * 5 each): hug|s, hu|gs and h|ugs, whose last token starts first.
    assert texts_of(naive.viterbi(naive.segmentations("hugs", vocabulary))) == ["h", "ugs"]
    assert naive.viterbi_counts(corpus, vocabulary)[b"hug"] == 10


def test_cats_is_a_tie_that_the_earliest_start_wins():
    logs = {"c": -2.5, "a": -2.3, "t": -2.4, "s": -2.6, "ca": -1.8, "cat": -1.2, "at": -1.9, "ats": -2.1, "ts": -2.0}
    first, second = naive.nbest(naive.segmentations("cats", with_bytes(logs)), 2)
    assert naive.log_prob(first) == naive.log_prob(second) == pytest.approx(-3.8)
    assert (texts_of(first), texts_of(second)) == (["ca", "ts"], ["cat", "s"])
    whole = naive.viterbi(naive.segmentations("cats", with_bytes(logs | {"cats": -3.0})))
    assert texts_of(whole) == ["cats"]


# Lattices -------------------------------------------------------------------------------------------------------------


def test_a_token_that_occurs_twice_is_included_once():
    # a|a weighs 1/4 and aa weighs 1/4: even odds.
    paths = naive.segmentations("aa", with_bytes({"a": math.log(0.5), "aa": math.log(0.25)}))
    assert naive.log_z(paths) == pytest.approx(math.log(0.5))
    assert naive.inclusion_probs(paths) == pytest.approx({b"a": 0.5, b"aa": 0.5})
    assert naive.expected_counts(paths) == pytest.approx({b"a": 1.0, b"aa": 0.5})
    assert list(naive.marginals(paths).values()) == pytest.approx([0.5, 0.5, 0.5])
    assert naive.entropy(paths) == pytest.approx(math.log(2))
    assert naive.boundary_probs(paths) == pytest.approx([1, 0.5, 1])


def test_occurrences_that_exclude_each_other_add_up_to_the_inclusion():
    # aaa: a|a|a weighs 1/8, aa|a and a|aa weigh 1/8 each. aa is in two of the three, never twice.
    paths = naive.segmentations("aaa", with_bytes({"a": math.log(0.5), "aa": math.log(0.25)}))
    assert naive.inclusion_probs(paths) == pytest.approx({b"a": 1.0, b"aa": 2 / 3})
    assert naive.expected_counts(paths) == pytest.approx({b"a": 5 / 3, b"aa": 2 / 3})


def test_complements_multiply_over_pretokens():
    vocabulary = with_bytes({"a": math.log(0.5), "aa": math.log(0.25)})
    assert dict(naive.memberships(("aa", "aa"), vocabulary, "inclusion"))[b"aa"] == pytest.approx(1 - 0.5 * 0.5)
    assert dict(naive.memberships(("aa", "aa"), vocabulary, "expected"))[b"aa"] == pytest.approx(1.0)
    places = [m for token, m in naive.memberships(("aa", "aa"), vocabulary, "occurrence") if token == b"a"]
    assert places == pytest.approx([0.5] * 4)


@pytest.mark.parametrize("sentence", [("aba", "ab", "가a"), ("aaaa",), ("나", "나가", "aa")])
def test_a_sentence_is_the_product_of_its_pretokens(sentence):
    vocabulary = with_bytes({"a": -1.0, "b": -1.5, "ab": -1.7, "aa": -2.2, "aba": -4.0, "가": -2.5, "나가": -3.0}, -3.0)
    paths = naive.sentence_segmentations(sentence, vocabulary)
    assert all(b"".join(naive.tokens_of(path)) == "".join(sentence).encode() for path in paths)
    parts = [naive.segmentations(pretoken, vocabulary) for pretoken in sentence]
    assert naive.log_z(paths) == pytest.approx(sum(map(naive.log_z, parts)), abs=1e-12)
    assert naive.entropy(paths) == pytest.approx(sum(map(naive.entropy, parts)), abs=1e-12)
    assert naive.inclusion_probs(paths) == pytest.approx(dict(naive.memberships(sentence, vocabulary, "inclusion")))
    assert naive.expected_counts(paths) == pytest.approx(dict(naive.memberships(sentence, vocabulary, "expected")))
    by_place: Counter[bytes] = Counter()
    for token, m in naive.memberships(sentence, vocabulary, "occurrence"):
        by_place[token] += m
    assert by_place == pytest.approx(naive.expected_counts(paths))


def test_a_character_falls_back_only_where_it_is_no_token():
    assert naive.arcs("ꀀa", with_bytes({"a": -2.0}, -3.0)) == [  # EA 80 80: a byte that stands twice
        naive.Arc(0, 1, (b"\xea", b"\x80", b"\x80"), -9.0),
        naive.Arc(1, 2, (b"a",), -2.0),
    ]
    assert naive.arcs("ꀀ", with_bytes({"ꀀ": -4.0}, -3.0)) == [naive.Arc(0, 1, ("ꀀ".encode(),), -4.0)]


def test_a_fallback_counts_its_bytes_with_multiplicity_and_includes_them_once():
    paths = naive.segmentations("ꀀ", with_bytes({}))
    assert naive.expected_counts(paths) == {b"\xea": 1.0, b"\x80": 2.0}
    assert naive.inclusion_probs(paths) == {b"\xea": 1.0, b"\x80": 1.0}
    assert naive.memberships(("ꀀ",), with_bytes({}), "occurrence") == [(b"\xea", 1.0), (b"\x80", 2.0)]


def test_nbest_is_ordered_and_its_posteriors_are_exact():
    paths = naive.segmentations("abab", with_bytes({"a": -1.0, "b": -1.0, "ab": -1.0, "aba": -3.0}))
    best = naive.nbest(paths, 10)
    assert [texts_of(path) for path in best] == [
        ["ab", "ab"],
        ["a", "b", "ab"],
        ["ab", "a", "b"],
        ["aba", "b"],
        ["a", "b", "a", "b"],
    ]
    assert [naive.log_prob(path) for path in best] == [-2, -3, -3, -4, -4]
    assert math.fsum(naive.posteriors(paths)) == pytest.approx(1.0)


# Branching entropy ----------------------------------------------------------------------------------------------------


def test_branching_entropy_of_certain_occurrences():
    # The only segmentations: a is in one sentence of four and in another (three times) of four.
    corpus = [("a", "b"), ("a", "c"), ("a", "c"), ("a", "c"), ("",), ()]
    stats = naive.statistics(corpus, with_bytes({}), "inclusion", "sentence")
    assert stats[b"a"].sentence_prob == pytest.approx(1.0)
    assert stats[b"a"].branching_entropy == pytest.approx(-(0.25 * math.log(0.25) + 0.75 * math.log(0.75)))
    assert stats[b"b"] == pytest.approx((0.25, 0.0, 0.0))
    assert stats[b"d"] == (0.0, 0.0, 0.0)


def test_contexts_are_sentences_or_pretokens():
    corpus = [("ab", "ab"), ("ab", "b")]
    vocabulary = with_bytes({"a": -1.0, "b": -1.0})
    by_sentence = naive.statistics(corpus, vocabulary, "inclusion", "sentence")[b"a"]
    assert by_sentence == pytest.approx((1.0, math.log(2), math.log(2)))
    by_pretoken = naive.statistics(corpus, vocabulary, "inclusion", "pretoken")
    assert by_pretoken[b"a"] == pytest.approx((3 / 4, 0.0, 0.0))
    assert by_pretoken[b"b"].branching_entropy == pytest.approx(math.log(4) - 0.75 * math.log(3))
    # In a sentence, occurrences add up before any logarithm; as places they are contexts of their own.
    assert naive.statistics(corpus, vocabulary, "expected", "sentence")[b"a"].branching_entropy == pytest.approx(
        math.log(3) - 2 / 3 * math.log(2)
    )
    assert naive.statistics(corpus, vocabulary, "occurrence", "sentence")[b"a"].branching_entropy == pytest.approx(
        math.log(3)
    )


@pytest.mark.parametrize("membership", ["inclusion", "expected", "occurrence"])
@pytest.mark.parametrize("context", ["sentence", "pretoken"])
def test_both_forms_of_branching_entropy_are_equal(membership, context):
    corpus = [("aab", " 가나"), ("aab", " 가나"), ("ab", " 나"), ("ab", "ab", "ꀀ"), ("baa",)]
    pretokens = naive.distinct_pretokens(corpus)
    vocabulary = naive.m_step(naive.e_step(corpus, naive.seed_vocabulary(pretokens, "ngrams", min_count=1)))
    by_sums = naive.statistics(corpus, vocabulary, membership, context)
    by_definition = naive.statistics_by_definition(corpus, vocabulary, membership, context)
    for token in vocabulary:
        assert by_sums[token] == pytest.approx(by_definition[token], abs=1e-12)


# Seed vocabulary ------------------------------------------------------------------------------------------------------


def test_seed_keeps_characters_words_and_complete_phrases():
    pretokens = Counter({" 활용할 수 있는": 1, " 활용할 수 있다": 1})
    seed = {token.decode() for token in naive.seed_vocabulary(pretokens) if len(token) > 1}
    assert {"활", " 활", " 활용할", "활용", " 수", "있", " 있", " 활용할 수"} <= seed
    assert " 활용할 수 있" not in seed  # the last word is not complete
    assert "할 수" not in seed and "수 있" not in seed  # the first word is not complete, or has no space before it
    assert "는" not in seed  # once only
    assert not any(token.endswith(" ") for token in seed)


def test_a_phrase_counts_only_where_its_last_word_is_complete():
    pretokens = Counter({" 그 것은": 5, " 그 것": 2})
    assert naive.substring_counts(pretokens, linguistic=True)[" 그 것"] == 2
    assert naive.substring_counts(pretokens, linguistic=False)[" 그 것"] == 7
    assert " 그 것".encode() in naive.seed_vocabulary(pretokens)
    assert " 그 것".encode() not in naive.seed_vocabulary(pretokens, min_count=3)


def test_white_space_stands_alone_or_in_front():
    counts = naive.substring_counts(Counter({"a  b\t c\u3000d": 2}), linguistic=True)
    assert set(counts) == {"a", " ", "b", " b", "\t", "c", " c", "\u3000", "d"}


def test_seed_weighs_by_count_and_length():
    seed = naive.seed_vocabulary(Counter({"ab가": 3, "a": 1}))
    weights = {"a": 4, "b": 3, "가": 3, "ab": 6, "b가": 6, "ab가": 9}
    total = sum(weights.values()) + 254 * 0.5
    for token, weight in weights.items():
        assert math.exp(seed[token.encode()]) == pytest.approx(weight / total)
    assert math.exp(seed[b"\xea"]) == pytest.approx(0.5 / total)
    assert math.fsum(map(math.exp, seed.values())) == pytest.approx(1.0)
    assert len(seed) == 256 + 4


def test_seed_is_limited_by_size_and_by_bytes():
    pretokens = Counter({"ab가": 3})
    assert set(naive.seed_vocabulary(pretokens, max_seed=2)) - set(naive.BYTES) == {b"ab", "ab가".encode()}
    assert set(naive.seed_vocabulary(pretokens, max_token_bytes=3)) - set(naive.BYTES) == {b"ab", "가".encode()}


# EM and pruning -------------------------------------------------------------------------------------------------------


def test_digamma_at_known_places():
    gamma = 0.57721566490153286061
    assert naive.digamma(1) == pytest.approx(-gamma, abs=1e-12)
    assert naive.digamma(0.5) == pytest.approx(-gamma - 2 * math.log(2), abs=1e-12)
    assert naive.digamma(0.25) == pytest.approx(-gamma - math.pi / 2 - 3 * math.log(2), abs=1e-12)
    for n in (2, 5, 9, 10, 11, 100):
        assert naive.digamma(n) == pytest.approx(math.fsum(1 / k for k in range(1, n)) - gamma, abs=1e-12)
    assert naive.digamma(0.01) == pytest.approx(-100.56088545786867, abs=1e-12)
    assert naive.digamma(1e9) == pytest.approx(math.log(1e9) - 0.5e-9, abs=1e-12)


def test_m_step_has_floors_and_sums_to_one():
    vocabulary = naive.m_step({b"a": 3.0, b"b": 0.0, b"ab": 0.0, b"ba": 0.005})
    assert math.fsum(map(math.exp, vocabulary.values())) == pytest.approx(1.0)
    assert vocabulary[b"ab"] == vocabulary[b"ba"]
    assert vocabulary[b"a"] - vocabulary[b"b"] == pytest.approx(naive.digamma(3) - naive.digamma(0.5))
    assert vocabulary[b"b"] - vocabulary[b"ab"] == pytest.approx(naive.digamma(0.5) - naive.digamma(0.01))


def test_em_by_hand():
    # aa twice, a once: a|a and aa have even odds, so a counts 2 * 1 + 1 = 3 and aa counts 1.
    corpus = [("aa",), ("aa", "a")]
    vocabulary = with_bytes({"a": math.log(0.5), "aa": math.log(0.25)})
    counts = naive.e_step(corpus, vocabulary)
    assert counts[b"a"] == pytest.approx(3.0)
    assert counts[b"aa"] == pytest.approx(1.0)
    assert naive.log_likelihood(corpus, vocabulary) == pytest.approx(3 * math.log(0.5))


def test_ml_score_by_hand():
    # Best segmentations: ab three times, a once, b twice; without ab its three places would be a and b.
    corpus = [("ab",)] * 3 + [("a",), ("b",), ("b",)]
    vocabulary = with_bytes({"a": -2.0, "b": -2.0, "ab": -1.0})
    scores = naive.ml_scores(corpus, vocabulary)
    lost = math.log(3 / 6) - (math.log((1 + 3) / (6 + 3)) + math.log((2 + 3) / (6 + 3)))
    assert scores[b"ab"] == pytest.approx(3 / 6 * lost)
    assert scores[b"a"] == 0.0


def test_the_tokens_that_a_token_spares_by_hand():
    # abc, used five times, would be ab and c; ab itself is used once and would be a and b.
    corpus = [("abc",)] * 5 + [("ab",), ("c",)]
    vocabulary = with_bytes({"a": -2.0, "b": -2.0, "c": -2.0, "ab": -1.0, "abc": -1.0})
    scores = naive.token_scores(corpus, vocabulary)
    assert (scores[b"abc"], scores[b"ab"], scores[b"c"]) == (5.0, 1.0, 0.0)


def test_the_alternative_of_a_character_is_its_bytes():
    vocabulary = with_bytes({"가": -2.0, "가가": -3.0})
    assert naive.alternative("가".encode(), vocabulary) == [b"\xea", b"\xb0", b"\x80"]
    assert naive.alternative("가가".encode(), vocabulary) == ["가".encode()] * 2


def test_pruning_takes_the_rare_the_low_and_the_small_in_this_order():
    scores = {b"a": 0.0, b"b": 0.0, b"ab": 2.0, b"ba": 1.0, b"aa": 1.0 + 1e-15, b"bb": 9.0, b"abab": 3.0}
    counts = dict.fromkeys(scores, 5.0) | {b"bb": 0.4}
    ranking = [b"bb", b"aa", b"ba", b"ab", b"abab"]
    assert naive.pruned(scores, counts, target=2, shrink=1.0) == ranking
    assert naive.pruned(scores, counts, target=2, shrink=0.3) == ranking[:2]  # ceil of 1.5
    assert naive.pruned(scores, counts, target=6, shrink=0.3) == ranking[:1]  # never below the target
    assert naive.pruned(scores, counts, target=4, shrink=0.3, n_specials=1) == ranking[:2]
    assert naive.pruned(scores, counts, target=7, shrink=0.3) == []
    rare = counts | {b"ab": 0.0, b"abab": 0.0, b"bb": 0.0}
    assert naive.pruned(scores, rare, target=2, shrink=0.01) == [b"ab", b"abab", b"bb"]


@pytest.mark.parametrize("score", SCORES)
def test_rounds_reach_the_size_asked_for(score):
    corpus = [(" 그 것은", "."), (" 그 것",), (" 그것은", "."), (" 그것은", "."), ("그 것",)]
    vocabulary = naive.seed_vocabulary(naive.distinct_pretokens(corpus))
    target = 256 + 4
    sizes = [len(vocabulary)]
    while len(vocabulary) > target:
        round_ = naive.pruning_round(corpus, vocabulary, target, score)
        assert set(round_.survivors) == set(vocabulary) - set(round_.removed)
        vocabulary = round_.survivors
        sizes.append(len(vocabulary))
    assert sizes == sorted(set(sizes), reverse=True) and sizes[-1] == target
    last = naive.last_round(corpus, vocabulary)
    assert all(log * naive.GRID == int(log * naive.GRID) for log in last.vocabulary.values())
    assert math.fsum(last.counts.values()) > 0
