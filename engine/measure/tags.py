"""What part of a word a tag stands for: a stem, an ending, or a symbol.

Two tag sets are known: Sejong's (MeCab-ko, UD_Korean-GSD; NNG, JKS, EF) and KAIST's (UD_Korean-Kaist; ncn, jcs, ef).
"""

STEM, ENDING, SYMBOL, UNKNOWN = range(4)  # in a word, endings come behind stems

_SEJONG_SYMBOLS = ("SF", "SE", "SP", "SO", "SW", "SS", "SC", "SY")  # SL, SH and SN are words in other scripts


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
