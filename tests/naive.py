"""The slow and obvious reference implementation: it decides whether the fast engine is right.

Nothing here is clever. All segmentations of a pre-token are written down one by one, and every quantity is read off
that list by its definition: no forward-backward, no tries, no arrays. It imports nothing from the engine. It is only
usable on texts of about a dozen characters (n characters have up to 2 ** (n - 1) segmentations).

Conventions
-----------
Text. A corpus is a list of lines, a line is the tuple of its pre-tokens. No token crosses a pre-token. Lines without
text are dropped; equal lines are one sentence y, and P(y) = count(y) / N. With `context="pretoken"` the y's are the
distinct pre-tokens instead, counted over the whole corpus, and N is the number of pre-tokens. Positions count
characters (code points), half-open. White space is Unicode's property White_Space. Logarithms are natural.

Vocabulary. A dict from a token's UTF-8 bytes to its log probability. The 256 single bytes are always in it, and an
ASCII byte *is* its character. Special tokens stand outside of it: text never turns into them, they only take up room
in the vocabulary's size. All other tokens are whole characters (the setting `partial_characters` is not modelled).

Fallback. A character that is neither ASCII nor a token has one arc over it, whose log probability is the sum of its
bytes'. In the E step it counts every byte as often as the character holds it. A character that is a token has no
fallback arc, not even where that token is left out to compute an inclusion probability.

Membership, m = P(x | y):
  inclusion    the probability that a segmentation of y uses x at least once: 1 - Z(without x) / Z. Pre-tokens are
               independent, so over the pre-tokens of a sentence the complements multiply. A byte is used where a
               character that falls back holds it.
  expected     the expected number of occurrences of x in y.
  occurrence   every arc of y that uses x is a context of its own, and m is the expected number of x on it: the
               arc's marginal, times the multiplicity of a byte in a character that falls back.

Statistics. Over all contexts with their integer counts c: A0 = sum c m, A1 = sum c m log(c m). Then P = A0 / N,
BE = log A0 - A1 / A0 and Score = P BE. P(x) = 0 gives BE = 0. A token with one context has BE = 0: what rounding errors
leave there, anything below NO_ENTROPY, is taken for 0, or it would decide between the many tokens of this kind.

Ties. Of two segmentations with the same log probability the one whose last token starts first wins, then the one
whose last but one starts first, and so on: what a Viterbi pass does that tries the starts in ascending order and
replaces its best only by something better. Log probabilities are added from left to right.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests import naive_merges

Vocabulary = dict[bytes, float]
Sentence = tuple[str, ...]

BYTES = [bytes([value]) for value in range(256)]
BYTE_FLOOR = 0.5
TOKEN_FLOOR = 0.01
RARE = 0.5  # tokens with a smaller expected count rank lowest
NO_ENTROPY = 1e-12
GRID = 256  # the last round's log probabilities are multiples of 1 / GRID


# ---------------------------------------------------------------------------------------------------------------------
# Segmentations of one pre-token, or of one sentence
# ---------------------------------------------------------------------------------------------------------------------


class Arc(NamedTuple):
    """A way to cover the characters begin to end: by one token, or by the bytes of one character."""

    begin: int
    end: int
    tokens: tuple[bytes, ...]
    log_prob: float


Segmentation = tuple[Arc, ...]


def arcs(text: str, vocabulary: Vocabulary) -> list[Arc]:
    """All arcs over the pre-token `text`, by their begin and then by their end."""
    found = []
    for begin, end in itertools.combinations(range(len(text) + 1), 2):
        token = text[begin:end].encode()
        if token in vocabulary:
            found.append(Arc(begin, end, (token,), vocabulary[token]))
        elif end - begin == 1:
            pieces = tuple(token[i : i + 1] for i in range(len(token)))
            found.append(Arc(begin, end, pieces, _add(vocabulary[piece] for piece in pieces)))
    return found


def segmentations(text: str, vocabulary: Vocabulary) -> list[Segmentation]:
    """All segmentations of the pre-token `text`: the ways to walk along its arcs from its begin to its end."""
    all_arcs = arcs(text, vocabulary)

    def walk(begin: int) -> Iterator[Segmentation]:
        if begin == len(text):
            yield ()
        for arc in all_arcs:
            if arc.begin == begin:
                for rest in walk(arc.end):
                    yield (arc, *rest)

    return list(walk(0))


def sentence_segmentations(sentence: Sentence, vocabulary: Vocabulary) -> list[Segmentation]:
    """All segmentations of a sentence: any segmentation of its first pre-token, then any of its second, and so on."""
    choices = []
    offset = 0
    for pretoken in sentence:
        choices.append([_shift(segmentation, offset) for segmentation in segmentations(pretoken, vocabulary)])
        offset += len(pretoken)
    return [tuple(itertools.chain.from_iterable(choice)) for choice in itertools.product(*choices)]


def _shift(segmentation: Segmentation, offset: int) -> Segmentation:
    return tuple(arc._replace(begin=arc.begin + offset, end=arc.end + offset) for arc in segmentation)


def _add(values: Iterable[float]) -> float:
    """Plain sum from left to right (the built-in `sum` compensates its rounding errors in newer versions)."""
    total = 0.0
    for value in values:
        total += value
    return total


# ---------------------------------------------------------------------------------------------------------------------
# What can be read off a list of all segmentations
# ---------------------------------------------------------------------------------------------------------------------


def tokens_of(segmentation: Segmentation) -> list[bytes]:
    """The tokens of a segmentation, in order; a character that falls back gives its bytes."""
    return [token for arc in segmentation for token in arc.tokens]


def log_prob(segmentation: Segmentation) -> float:
    """log W: the sum of the log probabilities of the tokens (eq. 2)."""
    return _add(arc.log_prob for arc in segmentation)


def log_z(paths: list[Segmentation]) -> float:
    """Logarithm of the sum of all weights: log P(text)."""
    logs = [log_prob(path) for path in paths]
    largest = max(logs)
    return largest + math.log(math.fsum(math.exp(log - largest) for log in logs))


def posteriors(paths: list[Segmentation]) -> list[float]:
    """P(segmentation | text) of every segmentation (eq. 3). They sum to one."""
    total = log_z(paths)
    return [math.exp(log_prob(path) - total) for path in paths]


def marginals(paths: list[Segmentation]) -> dict[Arc, float]:
    """Probability of every arc that a segmentation uses it."""
    terms: dict[Arc, list[float]] = {}
    for path, posterior in zip(paths, posteriors(paths), strict=True):
        for arc in path:
            terms.setdefault(arc, []).append(posterior)
    return {arc: math.fsum(values) for arc, values in terms.items()}


def boundary_probs(paths: list[Segmentation]) -> list[float]:
    """Probability of every position that a segmentation has a boundary there (certain at both ends)."""
    length = paths[0][-1].end if paths[0] else 0
    cuts = [{0, *(arc.end for arc in path)} for path in paths]
    weights = posteriors(paths)
    return [math.fsum(p for p, cut in zip(weights, cuts, strict=True) if i in cut) for i in range(length + 1)]


def expected_counts(paths: list[Segmentation]) -> dict[bytes, float]:
    """Expected number of occurrences of every token."""
    terms: dict[bytes, list[float]] = {}
    for path, posterior in zip(paths, posteriors(paths), strict=True):
        for token in tokens_of(path):
            terms.setdefault(token, []).append(posterior)
    return {token: math.fsum(values) for token, values in terms.items()}


def inclusion_probs(paths: list[Segmentation]) -> dict[bytes, float]:
    """Probability of every token that a segmentation uses it at least once.

    1 - Z(without) / Z is Z(with) / Z, which keeps its digits where the token is very improbable.
    """
    terms: dict[bytes, list[float]] = {}
    for path, posterior in zip(paths, posteriors(paths), strict=True):
        for token in set(tokens_of(path)):
            terms.setdefault(token, []).append(posterior)
    return {token: math.fsum(values) for token, values in terms.items()}


def entropy(paths: list[Segmentation]) -> float:
    """Entropy of P(segmentation | text) in nats."""
    return -math.fsum(_x_log_x(posterior) for posterior in posteriors(paths))


def nbest(paths: list[Segmentation], k: int) -> list[Segmentation]:
    """The k most probable segmentations; ties by the earliest start, seen from the end of the text."""
    return sorted(paths, key=lambda path: (-log_prob(path), [arc.begin for arc in reversed(path)]))[:k]


def viterbi(paths: list[Segmentation]) -> Segmentation:
    """The most probable segmentation."""
    return nbest(paths, 1)[0]


def _x_log_x(x: float) -> float:
    return x * math.log(x) if x > 0 else 0.0


# ---------------------------------------------------------------------------------------------------------------------
# Sentence statistics (paper section 3.3)
# ---------------------------------------------------------------------------------------------------------------------


class Statistics(NamedTuple):
    """What pruning ranks a token by: P(x) of eq. 5, BE(x) of eq. 1 and Score(x) of eq. 6."""

    sentence_prob: float
    branching_entropy: float
    score: float


def distinct_sentences(corpus: list[Sentence]) -> Counter[Sentence]:
    """The y's of context `sentence` with their counts."""
    return Counter(sentence for sentence in corpus if any(sentence))


def distinct_pretokens(corpus: list[Sentence]) -> Counter[str]:
    """Every pre-token with the number of its occurrences in the corpus."""
    return Counter(pretoken for sentence in corpus for pretoken in sentence if pretoken)


def distinct_units(corpus: list[Sentence], context: str) -> Counter[Sentence]:
    """The y's with their counts. With context `pretoken` each is a sentence of one pre-token."""
    if context == "sentence":
        return distinct_sentences(corpus)
    return Counter({(pretoken,): count for pretoken, count in distinct_pretokens(corpus).items()})


def memberships(sentence: Sentence, vocabulary: Vocabulary, membership: str) -> list[tuple[bytes, float]]:
    """P(x | y) as pairs (x, m); one pair a token, but with `occurrence` one pair an arc."""
    if membership == "occurrence":
        return [
            (token, marginal * multiplicity)
            for pretoken in sentence
            for arc, marginal in marginals(segmentations(pretoken, vocabulary)).items()
            for token, multiplicity in Counter(arc.tokens).items()
        ]
    total: dict[bytes, float] = {}
    for pretoken in sentence:
        paths = segmentations(pretoken, vocabulary)
        if membership == "expected":
            for token, count in expected_counts(paths).items():
                total[token] = total.get(token, 0.0) + count
        else:
            for token, prob in inclusion_probs(paths).items():
                before = total.get(token, 0.0)
                total[token] = before + (1 - before) * prob  # = 1 - (1 - before) (1 - prob)
    return list(total.items())


def joint_weights(
    corpus: list[Sentence], vocabulary: Vocabulary, membership: str, context: str
) -> dict[bytes, list[float]]:
    """All c m of every token, one for each of its contexts: N P(x, y)."""
    weights: dict[bytes, list[float]] = {token: [] for token in vocabulary}
    for sentence, count in distinct_units(corpus, context).items():
        for token, m in memberships(sentence, vocabulary, membership):
            weights[token].append(count * m)
    return weights


def statistics(
    corpus: list[Sentence], vocabulary: Vocabulary, membership: str, context: str
) -> dict[bytes, Statistics]:
    """P, BE and Score of every token by the two sums A0 and A1."""
    n = distinct_units(corpus, context).total()
    result = {}
    for token, weights in joint_weights(corpus, vocabulary, membership, context).items():
        a0 = math.fsum(weights)
        a1 = math.fsum(_x_log_x(weight) for weight in weights)
        branching_entropy = math.log(a0) - a1 / a0 if a0 > 0 else 0.0
        if branching_entropy < NO_ENTROPY:
            branching_entropy = 0.0
        result[token] = Statistics(a0 / n, branching_entropy, a0 / n * branching_entropy)
    return result


def statistics_by_definition(
    corpus: list[Sentence], vocabulary: Vocabulary, membership: str, context: str
) -> dict[bytes, Statistics]:
    """The same, word for word as in the paper: P(y | x) by Bayes' theorem (eq. 4), then its entropy (eq. 1)."""
    n = distinct_units(corpus, context).total()
    result = {}
    for token, weights in joint_weights(corpus, vocabulary, membership, context).items():
        joint = [weight / n for weight in weights]
        prob = math.fsum(joint)
        branching_entropy = -math.fsum(_x_log_x(p / prob) for p in joint) if prob > 0 else 0.0
        result[token] = Statistics(prob, branching_entropy, branching_entropy * prob)
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Seed vocabulary (paper section 3.2)
# ---------------------------------------------------------------------------------------------------------------------


def is_unit(text: str, begin: int, end: int) -> bool:
    """Whether the substring that stands there is a character, a word (or a part of one), or a phrase.

    A word or a part of one holds no white space but for one space before it. A phrase is a space and two or more
    words with single spaces between them; what follows it must show that its last word is complete.
    """
    candidate = text[begin:end]
    if len(candidate) == 1 or _is_solid(candidate.removeprefix(" ")):
        return True
    words = candidate[1:].split(" ")
    starts_with_space = candidate[0] == " "
    last_word_is_complete = end == len(text) or _is_space(text[end])
    return starts_with_space and len(words) >= 2 and all(map(_is_solid, words)) and last_word_is_complete


def _is_solid(text: str) -> bool:
    return text != "" and not any(map(_is_space, text))


def _is_space(character: str) -> bool:
    """Unicode's White_Space: what `str.isspace` says, but for four control characters."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


def substring_counts(pretokens: Counter[str], linguistic: bool) -> Counter[str]:
    """Occurrences of every substring in the corpus (overlapping ones too); `linguistic`: only where it is a unit."""
    counts: Counter[str] = Counter()
    for pretoken, count in pretokens.items():
        for begin, end in itertools.combinations(range(len(pretoken) + 1), 2):
            if not linguistic or is_unit(pretoken, begin, end):
                counts[pretoken[begin:end]] += count
    return counts


def branching_substrings(pretokens: Iterable[str]) -> set[str]:
    """What two different characters follow, or a character and an end of a pre-token, or the ends of two of them."""
    followers: defaultdict[str, set[object]] = defaultdict(set)
    for pretoken in pretokens:
        for begin, end in itertools.combinations(range(len(pretoken) + 1), 2):
            followers[pretoken[begin:end]].add(pretoken[end : end + 1] or (pretoken, "end"))
    return {text for text, symbols in followers.items() if len(symbols) > 1}


def merged_tokens(pretokens: Counter[str], min_count: int) -> list[bytes]:
    """What byte-level BPE merges inside the pre-tokens, in that order, parts of characters too."""
    # A character for each byte: latin-1 has the first 256. Ties go by GPT-2's ids: what can be seen comes first.
    words = [(tuple(pretoken.encode().decode("latin-1")), count) for pretoken, count in pretokens.items()]
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    ids = [chr(byte) for byte in (*seen, *sorted(set(range(256)) - set(seen)))]
    most = sum(len(word) for word, _ in words)
    merges = naive_merges.train(words, most, "tokenizers", first_ids=ids, min_count=min_count)
    return ["".join(merge.pair).encode("latin-1") for merge in merges]


def seed_vocabulary(
    pretokens: Counter[str],
    rule: str = "linguistic",
    min_count: int = 2,
    max_token_bytes: int = 32,
    max_seed: int = 1_000_000,
    size: int = 0,
) -> Vocabulary:
    """The 256 bytes and the `max_seed` best candidates, with their initial log probabilities.

    A candidate (longer than a byte) weighs count times characters, for a phrase the count of its complete
    occurrences; ties go to the smaller bytes. A byte weighs the count of its character, and at least BYTE_FLOOR.
    With the rule `bpe` the candidates are characters, and what BPE merges first: with the bytes, `size` tokens.
    """
    counts = substring_counts(pretokens, rule in ("linguistic", "right-branching"))
    candidates = {
        text.encode(): float(count * len(text))
        for text, count in counts.items()
        if count >= min_count and 1 < len(text.encode()) <= max_token_bytes
    }
    if rule == "right-branching":
        branching = {text for text in branching_substrings(pretokens) if len(text.encode()) <= max_token_bytes}
        cut = [text.rpartition(" ") for text in branching]
        phrases = {text for text, _, word in cut if text.startswith(" ") and not any(map(_is_space, word))}
        allowed = {text.encode() for text in branching | phrases}
        candidates = {token: weight for token, weight in candidates.items() if token in allowed}
    if rule == "bpe":
        characters = [token for token in candidates if len(token.decode()) == 1]
        merged = [token for token in merged_tokens(pretokens, min_count) if token in candidates]
        longer = [token for token in dict.fromkeys(merged) if token not in characters]
        kept = {*characters, *longer[: max(0, size - len(BYTES))]}
        candidates = {token: weight for token, weight in candidates.items() if token in kept}
    kept = sorted(candidates, key=lambda token: (-candidates[token], token))[:max_seed]
    weights = {token: candidates[token] for token in kept}
    for byte in BYTES:
        weights[byte] = max(BYTE_FLOOR, counts[byte.decode()] if byte < b"\x80" else 0)
    total = math.fsum(weights.values())
    return {token: math.log(weight / total) for token, weight in weights.items()}


# ---------------------------------------------------------------------------------------------------------------------
# EM
# ---------------------------------------------------------------------------------------------------------------------


def log_likelihood(corpus: list[Sentence], vocabulary: Vocabulary) -> float:
    """log P(corpus): the sum of log_z over all pre-tokens of all sentences."""
    return math.fsum(
        count * log_z(segmentations(pretoken, vocabulary)) for pretoken, count in distinct_pretokens(corpus).items()
    )


def e_step(corpus: list[Sentence], vocabulary: Vocabulary) -> dict[bytes, float]:
    """Expected number of occurrences of every token in the corpus."""
    counts = dict.fromkeys(vocabulary, 0.0)
    for pretoken, count in distinct_pretokens(corpus).items():
        for token, expected in expected_counts(segmentations(pretoken, vocabulary)).items():
            counts[token] += count * expected
    return counts


def m_step(counts: dict[bytes, float]) -> Vocabulary:
    """exp(digamma(c) - digamma(sum of all c)), then made to sum to one; c has a floor, so nothing is impossible."""
    floored = {token: max(count, BYTE_FLOOR if len(token) == 1 else TOKEN_FLOOR) for token, count in counts.items()}
    total = digamma(math.fsum(floored.values()))
    logs = {token: digamma(count) - total for token, count in floored.items()}
    log_sum = math.log(math.fsum(map(math.exp, logs.values())))
    return {token: log - log_sum for token, log in logs.items()}


def digamma(x: float) -> float:
    """The derivative of log gamma for x > 0: digamma(x) = digamma(x + 1) - 1 / x up to 10, there the asymptotic series.

    The series is log x - 1 / 2x - sum of B(2n) / (2n x ** 2n) with the Bernoulli numbers B(2n).
    """
    steps = []
    while x < 10:
        steps.append(-1 / x)
        x += 1
    bernoulli = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6]
    series = [-b / (2 * n * x ** (2 * n)) for n, b in enumerate(bernoulli, start=1)]
    return math.fsum([math.log(x), -1 / (2 * x), *series, *steps])


# ---------------------------------------------------------------------------------------------------------------------
# Pruning rounds (paper Algorithm 1)
# ---------------------------------------------------------------------------------------------------------------------


def viterbi_counts(corpus: list[Sentence], vocabulary: Vocabulary) -> Counter[bytes]:
    """How often every token stands in the best segmentations of the corpus."""
    freq = Counter(dict.fromkeys(vocabulary, 0))
    for pretoken, count in distinct_pretokens(corpus).items():
        for token in tokens_of(viterbi(segmentations(pretoken, vocabulary))):
            freq[token] += count
    return freq


def alternative(token: bytes, vocabulary: Vocabulary) -> list[bytes]:
    """Best segmentation of a token's own text without that token; a character's is its bytes."""
    others = {other: log for other, log in vocabulary.items() if other != token}
    return tokens_of(viterbi(segmentations(token.decode(), others)))


def ml_scores(corpus: list[Sentence], vocabulary: Vocabulary) -> dict[bytes, float]:
    """The likelihood that pruning loses by each token (Kudo 2018), as SentencePiece's Unigram trainer estimates it.

    If x goes, its freq[x] places in the best segmentations go to the tokens of its alternative. Bytes score 0.
    """
    freq = viterbi_counts(corpus, vocabulary)
    total = freq.total()
    scores = dict.fromkeys(vocabulary, 0.0)
    for token in vocabulary:
        if len(token) > 1 and freq[token] > 0:
            pieces = alternative(token, vocabulary)
            log_total = math.log(total + freq[token] * (len(pieces) - 1))
            log_alternative = math.fsum(math.log(freq[piece] + freq[token]) - log_total for piece in pieces)
            scores[token] = freq[token] / total * (math.log(freq[token] / total) - log_alternative)
    return scores


def token_scores(corpus: list[Sentence], vocabulary: Vocabulary) -> dict[bytes, float]:
    """How many tokens more the best segmentations of the corpus would need without each token. Bytes score 0."""
    freq = viterbi_counts(corpus, vocabulary)
    scores = dict.fromkeys(vocabulary, 0.0)
    for token in vocabulary:
        if len(token) > 1 and freq[token] > 0:
            scores[token] = float(freq[token] * (len(alternative(token, vocabulary)) - 1))
    return scores


def neighbour_entropies(corpus: list[Sentence], vocabulary: Vocabulary, context: str) -> dict[bytes, float]:
    """Mean entropy of the characters before and after each token in the best segmentations.

    The edge of a sentence is a neighbour; the bytes of a character that is no token have the character's neighbours.
    """
    neighbours: dict[bytes, tuple[Counter[str], Counter[str]]] = {token: (Counter(), Counter()) for token in vocabulary}
    for sentence, count in distinct_units(corpus, context).items():
        text = "".join(sentence)
        begin = 0
        for pretoken in sentence:
            for arc in viterbi(segmentations(pretoken, vocabulary)):
                for token in arc.tokens:
                    neighbours[token][0][text[: begin + arc.begin][-1:]] += count
                    neighbours[token][1][text[begin + arc.end :][:1]] += count
            begin += len(pretoken)
    return {token: (_entropy_of(left) + _entropy_of(right)) / 2 for token, (left, right) in neighbours.items()}


def _entropy_of(counts: Counter[str]) -> float:
    return -math.fsum(_x_log_x(n / counts.total()) for n in counts.values())


def scores_of(
    score: str, corpus: list[Sentence], vocabulary: Vocabulary, stats: dict[bytes, Statistics], context: str
) -> dict[bytes, float]:
    """What a round prunes by."""
    if score == "ml":
        return ml_scores(corpus, vocabulary)
    if score == "tokens":
        return token_scores(corpus, vocabulary)
    if score == "neighbour_be":
        return neighbour_entropies(corpus, vocabulary, context)
    return {x: _column(s, score) for x, s in stats.items()}


class Round(NamedTuple):
    """One pruning round. The last round removes nothing: it has no scores and no survivors."""

    vocabulary: Vocabulary  # with the log probabilities of the last E step
    counts: dict[bytes, float]  # of the last E step
    statistics: dict[bytes, Statistics]
    scores: dict[bytes, float]  # what the round prunes by
    removed: list[bytes]  # worst first
    survivors: Vocabulary  # after the M step that begins the next round


def pruning_round(
    corpus: list[Sentence],
    vocabulary: Vocabulary,
    target: int,
    score: str = "be_p",
    membership: str = "inclusion",
    context: str = "sentence",
    shrink: float = 0.25,
    sub_iterations: int = 2,
    n_specials: int = 0,
) -> Round:
    """(E, M) sub_iterations - 1 times, E, statistics, pruning, and M on the survivors."""
    for _ in range(sub_iterations - 1):
        vocabulary = m_step(e_step(corpus, vocabulary))
    counts = e_step(corpus, vocabulary)
    stats = statistics(corpus, vocabulary, membership, context)
    scores = scores_of(score, corpus, vocabulary, stats, context)
    removed = pruned(scores, counts, target, shrink, n_specials)
    survivors = m_step({token: count for token, count in counts.items() if token not in removed})
    return Round(vocabulary, counts, stats, scores, removed, survivors)


def last_round(
    corpus: list[Sentence],
    vocabulary: Vocabulary,
    membership: str = "inclusion",
    context: str = "sentence",
    sub_iterations: int = 2,
) -> Round:
    """The same without pruning, the log probabilities rounded to the grid before the last E step."""
    for _ in range(sub_iterations - 1):
        vocabulary = m_step(e_step(corpus, vocabulary))
    vocabulary = {token: round(log * GRID) / GRID for token, log in vocabulary.items()}
    counts = e_step(corpus, vocabulary)
    return Round(vocabulary, counts, statistics(corpus, vocabulary, membership, context), {}, [], {})


def pruned(
    scores: dict[bytes, float], counts: dict[bytes, float], target: int, shrink: float, n_specials: int = 0
) -> list[bytes]:
    """The tokens that go, worst first: the share `shrink`, or all that are rare where these are more.

    Rare ones (expected count below RARE) come first, then the score decides, then the bytes. Bytes and special tokens
    never go. The size never falls below `target`, and shrinks by one at least until it is there.
    """
    excess = len(scores) + n_specials - target
    prunable = [token for token in scores if len(token) > 1]
    n_rare = sum(counts[token] < RARE for token in prunable)
    n_removed = max(0, min(max(math.ceil(shrink * len(prunable)), n_rare), excess))
    ranking = sorted(prunable, key=lambda token: (counts[token] >= RARE, comparable(scores[token]), token))
    return ranking[:n_removed]


def comparable(score: float) -> float:
    """A score to ten significant digits: rounding errors must not decide a tie."""
    return float(f"{score:.9e}")


def _column(stats: Statistics, score: str) -> float:
    return {"be_p": stats.score, "be": stats.branching_entropy, "p": stats.sentence_prob}[score]
