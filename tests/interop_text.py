"""Lines on which tokenizers are compared: what real text and damaged text hold, mixed at random."""

import random
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_WORDS = """갂 쀍 안녕 하세요. 한국어 ㅋㅋㅋ ㅠㅠ 日本 ไทย हिन्दी Ωμ é abc Hello 's 'll ... ?! . , 12 3 2026 ² ½ < >
<0x41> <0xEC> <unk> [UNK] <s> </s> <|end|> ##a a</w> ▁ Ġ ! 🎬 👨\u200d👩\u200d👧 e\u0301 \u200b \ufeff
\u1112\u1161\u11ab \U0010fffd"""
_SPACES = (" ", "  ", "   ", "\t", "\r\n", "\n", "\0", "\u3000", "\xa0", "\x85", "\x1c", " 안녕", " the")
PIECES = (*_WORDS.split(), *_SPACES)


def fuzz_lines(n: int, lines: Sequence[str], seed: int = 0) -> list[str]:
    """`n` lines made of the pieces above and of beginnings of the given lines."""
    choose = random.Random(seed)

    def part() -> str:
        return choose.choice(PIECES) if choose.random() < 0.6 else choose.choice(lines)[: choose.randrange(12)]

    return ["".join(part() for _ in range(choose.randrange(1, 12))) for _ in range(n)]


def corpus_lines(folder: Path | None = None) -> list[str]:
    """Lines of the built-in Korean corpora, or of the film reviews where their folder is given."""
    if folder is not None:
        return (folder / "ko_reviews_small.txt").read_text(encoding="utf-8").split("\n")
    paths = sorted((ROOT / "assets" / "corpora" / "ko").glob("*.txt"))
    return [line for path in paths for line in path.read_text(encoding="utf-8").split("\n") if line]
