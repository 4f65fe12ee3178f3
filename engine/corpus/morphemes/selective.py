"""Pre-tokens for training cut before the morphemes of chosen kinds, as in Kiwi's own trainer of BPE.

Text is encoded without an analyser: only the merges have been learned as if these cuts were there. Morphemes of the
chosen kinds in a row stay together, and a cut inside a syllable (좋아하 and ㄴ다 of 좋아한다) is after it.
"""

from collections.abc import Callable
from itertools import pairwise

from engine.corpus.morphemes import kiwi
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes
from engine.errors import InputError

PREFIX = "kiwi-"
# Particles, endings, the copula, and suffixes that make verbs and adjectives; by their tags in Sejong's set.
KINDS: dict[str, tuple[str, ...]] = {
    "j": ("JKS", "JKC", "JKG", "JKO", "JKB", "JKV", "JKQ", "JX", "JC"),
    "e": ("EP", "EF", "EC", "ETN", "ETM"),
    "vcp": ("VCP",),
    "xsv": ("XSV", "XSA", "XSM"),
}
ALL = "morphemes"  # every boundary: no merge crosses one (MorphBPE, arXiv 2502.00894)


def is_selective(name: str) -> bool:
    """Whether a pre-tokenizer is `kiwi-` and what follows: kinds with hyphens between them, or ALL."""
    return name.startswith(PREFIX)


def selective_cut(name: str, words: Pretokenizer) -> Callable[[str], list[int]]:
    """What cuts a line into the pre-tokens of `words` and before morphemes, as its name says.

    Raises
    ------
    InputError : there is no such kind; when it cuts, the analyser is not installed.
    """
    kinds = name.removeprefix(PREFIX).split("-")
    if kinds != [ALL] and not set(kinds) <= set(KINDS):
        choices = ", ".join(f"{PREFIX}{one}" for one in ("-".join(KINDS), *KINDS, ALL))
        raise InputError("choice.unknown", what="pretokenizer", value=name, choices=choices)
    tags = None if kinds == [ALL] else frozenset(tag for kind in kinds for tag in KINDS[kind])

    def cut(text: str) -> list[int]:
        ends = words.boundaries(to_codes(text))[1:].tolist()
        return sorted({*ends, *_before(text, tags)})

    return cut


def _before(text: str, tags: frozenset[str] | None) -> list[int]:
    """Offsets before the first morphemes with these tags in a row, or before all of a word but the first (None)."""
    found = [(one.start, one.start + one.len, one.tag.partition("-")[0]) for one in kiwi.load().tokenize(text)]
    cuts = []
    for (_, end, before), (begin, _, tag) in pairwise(found):
        is_chosen = tags is None or (tag in tags and before not in tags)
        if is_chosen and 0 < max(begin, end) < len(text) and not text[max(begin, end) - 1].isspace():
            cuts.append(max(begin, end))
    return cuts
