"""Lines that expose differences between two tokenizers, the same on every run."""

import random
from collections.abc import Sequence

# What has broken tokenizers before: names of byte tokens, marks, invisible characters, line ends, composed and
# decomposed forms, emoji sequences, rare syllables, scripts without spaces.
ODDITIES = (
    "<0x41>",
    "<0xEC>",
    "<unk>",
    "<s>",
    "</s>",
    "<pad>",
    "[UNK]",
    "##안",
    "</w>",
    "▁",
    "Ġ",
    "Ċ",
    "\0",
    "\t",
    "\r",
    "\v",
    "\x7f",
    "\x85",
    "\u2028",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\ufffd",
    "\u3000",
    "\u00a0",
    "é",
    "e\u0301",
    "안녕",
    "\u110b\u1161\u11ab\u1102\u1167\u11bc",
    "ㅇㅏㄴ",
    "\u1100",
    "각\u11a8",
    "갂",
    "쀍",
    "ㅋㅋㅋ",
    "ㅠㅠ",
    "☕",
    "😀",
    "\u2764\ufe0f",
    "👨\u200d👩\u200d👧",
    "🇰🇷",
    "👍🏽",
    "½",
    "①",
    "Ⅳ",
    "٣",
    "१२",
    "漢字",
    "ひらがな",
    "ภาษาไทย",
    "हिन्दी",
    "العربية",
    "don't",
    "we'll",
    "'s",
    "'",
    "’s",
    "...",
    "?!",
    "!!",
    "。",
    "3.14",
    "1,000",
    "2026",
    "e-mail",
    "https://a.b/c?d=e",
    "A",
    "a",
    "ß",
    "İ",
    "ﬁ",
    "x\u0301\u0302\u0303",
    "가나다라마바사아자차카타파하" * 6,
    "antidisestablishmentarianism",
)
SPACES = ("", "", "", " ", " ", " ", "  ", "   ", "\t", " \t ", "\u3000")

_SEED = 20_240_613


def fuzz_lines(n: int, tokens: Sequence[str] = (), special: Sequence[str] = ()) -> list[str]:
    """n lines without line feeds: single oddities, mixtures of them, and random sequences of tokens.

    Parameters
    ----------
    tokens : texts of the vocabulary; half of the pieces are drawn from them, so that tokens meet in orders that no
        corpus contains.
    special : texts of special tokens.
    """
    rng = random.Random(_SEED)
    odd = [*ODDITIES, *special]
    known = [token for token in tokens if token and "\n" not in token] or odd
    lines = [f"{before}{piece}{after}" for piece in odd for before, after in (("", ""), (" ", "  "), ("가", "a"))]
    while len(lines) < n:
        kind = rng.random()
        pieces = []
        for _ in range(rng.randrange(1, 16)):
            pieces.append(rng.choice(odd) if kind < 0.2 or (kind < 0.6 and rng.random() < 0.5) else rng.choice(known))
            pieces.append(rng.choice(SPACES) if kind < 0.9 else "")
        line = "".join(pieces)
        # Cut anywhere, also inside a piece.
        lines.append(line[rng.randrange(3) : len(line) - rng.randrange(3)] if rng.random() < 0.5 else line)
    return lines[:n]
