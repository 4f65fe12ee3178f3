"""Which terms of the glossary define what a view measures: they are the method section of its package."""

_METHODS = {
    "explore": ("token", "eojeol"),
    "lattice": ("unigram_lm", "lattice", "viterbi", "marginal", "log_z"),
    "rounds": ("seed_vocabulary", "inclusion", "branching_entropy", "be_p", "pruning_round"),
    "scores": ("inclusion", "branching_entropy", "be_p", "likelihood_loss"),
    "token": ("inclusion", "branching_entropy", "be_p", "left_right_entropy"),
    "cost": ("parity", "compression"),
    "fertility": ("fertility", "eojeol", "renyi", "parity", "compression"),
    "morphology": ("morpheme", "boundary_f1", "fertility"),
    "boundaries": ("pmi", "left_right_entropy", "lm_entropy", "boundary_f1"),
    "growth": ("fertility",),
    "compare": ("vocabulary", "undertrained"),
    "compare.prediction": ("entropy", "compression"),
    "learn_bpe": ("bpe", "merge", "tie"),
    "learn_wordpiece": ("wordpiece", "longest_match"),
    "learn_unigram": ("unigram_lm", "viterbi", "em", "likelihood_loss"),
    "learn_tradeoff": ("subword", "embedding"),
    "learn_bytes": ("code_point", "utf8", "byte"),
    "learn_failures": ("pretokenization", "normalization"),
    "papers": ("fertility", "inclusion", "branching_entropy", "be_p"),
}


def method_terms(page: str, view: str) -> tuple[str, ...]:
    """The terms of a view, else of its page; none where nothing is measured."""
    return _METHODS.get(f"{page}.{view}", _METHODS.get(page, ()))
