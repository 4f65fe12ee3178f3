"""The role of a tag in a word: stem, ending or symbol.

Two tag sets are known: Sejong's (MeCab-ko, Kiwi, UD_Korean-GSD; NNG, JKS, EF), including the additions of MeCab and
Kiwi, and KAIST's (UD_Korean-Kaist; ncn, jcs, ef).
"""

STEM, ENDING, SYMBOL, UNKNOWN = range(4)  # in a word, endings come after stems

# SL, SH, SN and tags such as Kiwi's W_URL are words in other scripts.
_SEJONG_SYMBOLS = ("SF", "SE", "SP", "SO", "SW", "SS", "SC", "SY", "SB", "W_EMOJI", "Z_")

SEJONG_TAGS = frozenset(
    (
        *("NNG", "NNP", "NNB", "NNBC", "NR", "NP", "VV", "VA", "VX", "VCP", "VCN", "MM", "MMA", "MMD", "MMN"),
        *("MAG", "MAJ", "IC", "JKS", "JKC", "JKG", "JKO", "JKB", "JKV", "JKQ", "JX", "JC", "EP", "EF", "EC", "ETN"),
        *("ETM", "XPN", "XSN", "XSV", "XSA", "XSM", "XR", "SF", "SE", "SP", "SO", "SW", "SS", "SSO", "SSC", "SC"),
        *("SY", "SB", "SL", "SH", "SN", "NA", "NF", "NV", "UN", "W_URL", "W_EMAIL", "W_HASHTAG", "W_MENTION"),
        *("W_SERIAL", "W_EMOJI", "Z_CODA", "Z_SIOT", "UNKNOWN"),
    )
)


def kind_of_tag(tag: str) -> int:
    """STEM, ENDING, SYMBOL, or UNKNOWN for an empty tag.

    An ending is a particle (조사), a verb ending (어미) or the copula 이 between a noun and its endings. Derivational
    affixes belong to the stem.

    >>> [kind_of_tag(tag) for tag in ("NNG", "jxt", "VCP", "SF", "sf", "SL", "")] == [
    ...     STEM, ENDING, ENDING, SYMBOL, SYMBOL, STEM, UNKNOWN
    ... ]
    True
    """
    if not tag:
        return UNKNOWN
    if tag == "VCP" or tag[0] in "JEje":
        return ENDING
    if tag.startswith(_SEJONG_SYMBOLS) or tag[0] == "s":
        return SYMBOL
    return STEM
