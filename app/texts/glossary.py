"""The terms of the glossary: the page that shows each in use, its source, its formula.

Names and definitions are in the catalogue, `glossary.<term>.name` and `.text`. Catalogue texts link a term at its first
use on a page, `[token](term:token)`; `app.texts.i18n.t` makes the address.
"""

from typing import NamedTuple

GROUPS = ("characters", "units", "words", "merges", "unigram", "boundaries", "measures")

_OURS, _UNIGRAM = "shipped:thunder-tok-32k", "shipped:unigram-32k"
_POTATO = "고구마는 맛있다."


class Term(NamedTuple):
    """The language-independent part of an entry.

    Attributes
    ----------
    group : one of GROUPS.
    page : shows the term, with `params` in the URL; a page that takes any model keeps the visitor's.
    source : where it was first or best described.
    formula : TeX; empty if there is none.
    """

    group: str
    page: str
    params: dict[str, str]
    source: str
    formula: str = ""


GLOSSARY = {
    # Characters and bytes.
    "corpus": Term("characters", "train", {}, "McEnery, Hardie 2012"),
    "code_point": Term("characters", "learn_bytes", {"text": "가 A 漢"}, "The Unicode Standard, §2.4"),
    "utf8": Term("characters", "learn_bytes", {"text": "a é 한 😀"}, "RFC 3629"),
    "byte": Term("characters", "learn_bytes", {"read": "hex", "hex": "ED 95 9C"}, "ISO/IEC 2382"),
    "grapheme": Term("characters", "explore", {"text": "👨‍👩‍👧‍👦 각 é", "graphemes": "true"}, "UAX #29, §3"),
    "jamo": Term("characters", "learn_failures", {"topic": "hangul"}, "The Unicode Standard, §3.12"),
    "normalization": Term("characters", "learn_failures", {"topic": "hangul"}, "UAX #15, §1"),
    "nfc": Term("characters", "learn_failures", {"topic": "hangul"}, "UAX #15, §1.2"),
    "nfkc": Term("characters", "learn_failures", {"topic": "scripts"}, "UAX #15, §1.2"),
    # Tokens and vocabularies.
    "token": Term("units", "explore", {"text": _POTATO, "token": "1"}, "Sennrich, Haddow, Birch 2016, §3"),
    "vocabulary": Term(
        "units",
        "token",
        {"view": "vocabulary", "model": _OURS},
        "Sennrich, Haddow, Birch 2016, §3",
        r"V = \{x_1, \dots, x_{|V|}\}",
    ),
    "tokenizer": Term("units", "explore", {"text": "안녕하세요"}, "Mielke et al. 2021, §1"),
    "segmentation": Term(
        "units",
        "lattice",
        {"text": _POTATO, "tab": "nbest", "model": _UNIGRAM},
        "Kudo 2018, §2.1",
        r"x_1 x_2 \cdots x_m = s",
    ),
    "subword": Term("units", "learn_tradeoff", {}, "Sennrich, Haddow, Birch 2016, §3"),
    "pretoken": Term("units", "explore", {"text": "3월의 고구마는 5,000원!", "pretokens": "true"}, "Thunder-Tok, §3.1"),
    "pretokenization": Term("units", "learn_failures", {"topic": "across"}, "Thunder-Tok, §3.1"),
    "special_token": Term("units", "learn_failures", {"topic": "special"}, "Devlin, Chang, Lee, Toutanova 2019, §3"),
    "unknown_token": Term("units", "learn_bytes", {"unknown": "뷁! 커피 ☕"}, "Sennrich, Haddow, Birch 2016, §1"),
    "byte_fallback": Term("units", "learn_bytes", {"unknown": "뷁!"}, "SentencePiece, --byte_fallback"),
    "undertrained": Term("units", "learn_failures", {"topic": "rare"}, "Land, Bartolo 2024"),
    "embedding": Term("units", "learn_failures", {"topic": "spaces"}, "Press, Wolf 2017, §1", r"|V| \times d"),
    # Words and morphemes.
    "eojeol": Term("words", "explore", {"text": "나는 학교에서 점심을 먹었습니다."}, "한글 맞춤법 제2항"),
    "morpheme": Term(
        "words", "explore", {"text": "점심을 먹었다.", "shipped": "bpe-mecab-32k"}, "Bloomfield 1933, ch. 10"
    ),
    "josa": Term("words", "explore", {"text": "학교가 학교를 학교에서 학교에서는"}, "한글 맞춤법 제41항"),
    "stem": Term("words", "learn_bpe", {"words": "먹고:4 먹었다:6 먹는다:3 먹으면:2 잡고:2"}, "한글 맞춤법 제15항"),
    "eomi": Term("words", "learn_bpe", {"words": "먹었다:6 먹는다:3 읽었다:4 읽는다:5 웃었다:2"}, "한글 맞춤법 제15항"),
    "allomorph": Term("words", "explore", {"text": "책을 사과를, 책은 사과는, 책이 사과가"}, "Nida 1948"),
    "irregular": Term("words", "explore", {"text": "돕다 돕고 도와 도우면 듣다 듣고 들어"}, "한글 맞춤법 제18항"),
    "contraction": Term("words", "learn_failures", {"topic": "politeness"}, "한글 맞춤법 제35항"),
    # Methods that merge.
    "bpe": Term(
        "merges",
        "learn_bpe",
        {},
        "Sennrich, Haddow, Birch 2016, §3.2",
        r"(a, b)^{*} = \arg\max_{(a, b)} \operatorname{count}(ab)",
    ),
    "merge": Term("merges", "learn_bpe", {"step": "1"}, "Sennrich, Haddow, Birch 2016, §3.2"),
    "tie": Term("merges", "learn_bpe", {"words": "ab:2 cd:2 bc:1"}, "Sennrich, Haddow, Birch 2016, §3.2"),
    "byte_bpe": Term(
        "merges",
        "explore",
        {"text": "한글 😀", "shipped": "byte-bpe-32k", "bytes": "true"},
        "Radford et al. 2019, §2.2",
    ),
    "end_of_word": Term("merges", "learn_bpe", {"mark": "separate"}, "Sennrich, Haddow, Birch 2016, §3.2"),
    "wordpiece": Term(
        "merges",
        "learn_bpe",
        {"view": "wordpiece"},
        "Schuster, Nakajima 2012",
        r"\frac{\operatorname{count}(ab)}{\operatorname{count}(a) \, \operatorname{count}(b)}",
    ),
    "longest_match": Term("merges", "learn_bpe", {"view": "wordpiece", "word": "unaffable"}, "Song et al. 2021"),
    "continuation": Term(
        "merges", "learn_bpe", {"view": "wordpiece", "prefix": "hashes"}, "Devlin, Chang, Lee, Toutanova 2019"
    ),
    "bpe_dropout": Term(
        "merges", "learn_bpe", {"word": "lower newest", "more": "dropout"}, "Provilkov, Emelianenko, Voita 2020, §3"
    ),
    "superbpe": Term("merges", "learn_failures", {"topic": "across"}, "Liu, Hayase, Hofmann et al. 2025, §2"),
    # Methods that prune.
    "unigram_prob": Term(
        "unigram",
        "explore",
        {"text": _POTATO, "token": "1", "model": _UNIGRAM},
        "Kudo 2018, §3.2",
        r"\sum_{x \in V} p(x) = 1",
    ),
    "unigram_lm": Term(
        "unigram", "learn_unigram", {}, "Kudo 2018, §3.2", r"P(x_1 \cdots x_m) = \prod_{i=1}^{m} p(x_i)"
    ),
    "lattice": Term("unigram", "lattice", {"text": _POTATO, "model": _UNIGRAM}, "Kudo 2018, §3.3"),
    "viterbi": Term(
        "unigram",
        "lattice",
        {"text": _POTATO, "tab": "steps", "model": _UNIGRAM},
        "Viterbi 1967",
        r"\delta(j) = \max_{x = s_{i:j}} \delta(i) + \log p(x)",
    ),
    "forward_backward": Term(
        "unigram",
        "lattice",
        {"text": _POTATO, "tab": "table", "model": _UNIGRAM},
        "Rabiner 1989, §III",
        r"\alpha(j) = \sum_{x = s_{i:j}} \alpha(i) \, p(x)",
    ),
    "log_z": Term(
        "unigram",
        "lattice",
        {"text": _POTATO, "tab": "nbest", "model": _UNIGRAM},
        "Kudo 2018, §3.2",
        r"\log Z = \log \sum_{\mathbf{x} \in S(s)} \prod_i p(x_i)",
    ),
    "posterior": Term(
        "unigram",
        "lattice",
        {"text": _POTATO, "tab": "nbest", "model": _UNIGRAM},
        "Kudo 2018, §3.3",
        r"P(\mathbf{x} \mid s) = \frac{1}{Z} \prod_i p(x_i)",
    ),
    "marginal": Term(
        "unigram",
        "lattice",
        {"text": _POTATO, "tab": "table", "model": _UNIGRAM},
        "Rabiner 1989, §III",
        r"P(x \text{ at } i{:}j \mid s) = \frac{\alpha(i) \, p(x) \, \beta(j)}{Z}",
    ),
    "entropy": Term(
        "unigram",
        "lattice",
        {"text": _POTATO, "units": "bits", "model": _UNIGRAM},
        "Shannon 1948, §6",
        r"H = -\sum_k p_k \log p_k",
    ),
    "em": Term(
        "unigram",
        "learn_unigram",
        {"more": "em"},
        "Dempster, Laird, Rubin 1977; Kudo 2018, §3.2",
        r"p(x) \leftarrow \frac{E[\operatorname{count}(x)]}{\sum_{x'} E[\operatorname{count}(x')]}",
    ),
    "seed_vocabulary": Term("unigram", "rounds", {"model": _OURS}, "Thunder-Tok, §3.2"),
    "pruning_round": Term("unigram", "rounds", {"round": "2", "model": _OURS}, "Kudo 2018, §3.2"),
    "likelihood_loss": Term(
        "unigram",
        "scores",
        {"model": _UNIGRAM},
        "Kudo 2018, §3.2",
        r"\operatorname{loss}(x) = \mathcal{L}(V) - \mathcal{L}(V \setminus \{x\})",
    ),
    "subword_regularization": Term(
        "unigram",
        "lattice",
        {"text": _POTATO, "tab": "samples", "model": _UNIGRAM},
        "Kudo 2018, §3.3",
        r"P(\mathbf{x} \mid s) \propto \Bigl(\prod_i p(x_i)\Bigr)^{1/T}",
    ),
    "inclusion": Term(
        "unigram",
        "token",
        {"find": "대한민국", "model": _OURS},
        "Thunder-Tok, §3.3",
        r"P(x) = \frac{1}{N} \sum_{s} P(x \mid s)",
    ),
    "branching_entropy": Term(
        "unigram",
        "token",
        {"find": "대한민국", "model": _OURS},
        "Thunder-Tok, §3.3; Harris 1955",
        r"BE(x) = -\sum_{s} P(s \mid x) \log P(s \mid x)",
    ),
    "be_p": Term("unigram", "scores", {"model": _OURS}, "Thunder-Tok, §3.3", r"BE(x) \cdot P(x)"),
    # Finding boundaries.
    "pmi": Term(
        "boundaries",
        "boundaries",
        {"sentence": "나는학교에서점심을먹었습니다"},
        "Church, Hanks 1990",
        r"\operatorname{PMI}(a, b) = \log \frac{P(ab)}{P(a) \, P(b)}",
    ),
    "left_right_entropy": Term(
        "boundaries",
        "boundaries",
        {"lambda": "4", "sentence": "나는학교에서점심을먹었습니다"},
        "Hu et al. 2025, §3.1; Harris 1955",
        r"H_R(w) = -\sum_{c} P(c \mid w) \log P(c \mid w)",
    ),
    "lm_entropy": Term(
        "boundaries",
        "boundaries",
        {"order": "3", "rule": "rise"},
        "Hu et al. 2025, §3.2",
        r"H_i = -\sum_{c} P(c \mid c_1 \cdots c_{i-1}) \log P(c \mid c_1 \cdots c_{i-1})",
    ),
    "boundary_f1": Term(
        "boundaries", "boundaries", {"view": "scores"}, "Hu et al. 2025, §4.4", r"F_1 = \frac{2 \, P \, R}{P + R}"
    ),
    "gold": Term("boundaries", "boundaries", {"view": "scores", "gold": "zh_words"}, "Emerson 2005"),
    "patch": Term(
        "boundaries", "boundaries", {"view": "bytes", "patch": "8"}, "Yu et al. 2023; Pagnoni et al. 2024, §2"
    ),
    # Measures.
    "fertility": Term(
        "measures", "cost", {"more": "fairness", "measured": "texts"}, "Rust et al. 2021", r"\frac{|T|}{|W|}"
    ),
    "compression": Term(
        "measures",
        "explore",
        {"text": "토큰이 적을수록 짧습니다. Fewer tokens, shorter text."},
        "Gage 1994",
        r"\frac{\text{bytes}}{|T|}",
    ),
    "parity": Term(
        "measures", "cost", {"view": "languages"}, "Petrov, La Malfa, Torr, Bibi 2023, §3", r"\frac{|T(s_A)|}{|T(s_B)|}"
    ),
    "renyi": Term(
        "measures",
        "cost",
        {"more": "fairness", "measured": "texts"},
        "Zouhar et al. 2023, eq. 6",
        r"\frac{H_\alpha}{\log |V|}, \quad H_\alpha = \frac{1}{1 - \alpha} \log \sum_x p(x)^\alpha",
    ),
}


_METHODS = {
    "explore": ("token", "eojeol"),
    "lattice": ("unigram_lm", "lattice", "viterbi", "marginal", "log_z"),
    "rounds": ("seed_vocabulary", "inclusion", "branching_entropy", "be_p", "pruning_round"),
    "scores": ("inclusion", "branching_entropy", "be_p", "likelihood_loss"),
    "token": ("inclusion", "branching_entropy", "be_p", "left_right_entropy"),
    "cost": ("parity", "compression", "fertility", "eojeol", "renyi"),
    "morphology": ("morpheme", "boundary_f1", "fertility"),
    "boundaries": ("pmi", "left_right_entropy", "lm_entropy", "boundary_f1"),
    "growth": ("fertility",),
    "compare": ("vocabulary", "undertrained"),
    "learn_bpe": ("bpe", "merge", "tie"),
    "learn_bpe.wordpiece": ("wordpiece", "longest_match"),
    "learn_unigram": ("unigram_lm", "viterbi", "em", "likelihood_loss"),
    "learn_tradeoff": ("subword",),
    "learn_bytes": ("code_point", "utf8", "byte"),
    "learn_failures": ("pretokenization", "normalization"),
    "papers": ("fertility", "inclusion", "branching_entropy", "be_p"),
}


def method_terms(page: str, view: str) -> tuple[str, ...]:
    """The terms of a view, else of its page; none where nothing is measured."""
    return _METHODS.get(f"{page}.{view}", _METHODS.get(page, ()))
