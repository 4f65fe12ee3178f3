"""What part of a word a tag stands for: a stem, an ending, or a symbol.

Two tag sets are known: Sejong's (MeCab-ko, Kiwi, UD_Korean-GSD; NNG, JKS, EF) and KAIST's (UD_Korean-Kaist; ncn, jcs,
ef). What MeCab and Kiwi have added to Sejong's is known, too.
"""

STEM, ENDING, SYMBOL, UNKNOWN = range(4)  # in a word, endings come after stems

# SL, SH and SN are words in other scripts, and so are Kiwi's W_URL and its like.
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

    An ending is a particle (조사), an ending of a verb (어미) or the copula 이, which stands between a noun and its
    endings. Affixes that derive words belong to the stem.

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
