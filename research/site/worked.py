"""The worked numbers of docs/thunder-tok.md, between `<!--name-->` and `<!--/-->`: `python -m research.site.worked`.

They are computed from the toy corpus in the page's first table, and written into the page in every language.
"""

import math
import re
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

from engine.config import N_BYTES, chosen_settings
from engine.pretokenization import get_pretokenizer
from engine.tokenizer import PrunedTokenizer, require_pruning
from engine.training import train

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs").glob("thunder-tok*.md"))
_CUT, _SEGMENTED, _NEW = "나는 커피 2잔을 마셨습니다.", "나는 학교에 갔다.", "할머니께서 오늘 점심을 먹을 수 있습니까?"
_TRACED = {"word": " 학교에", "phrase": " 학교에 갔다."}
_RANKED = {"number": "2", "greeting": "안녕하세요", "sentence": "안녕하세요."}


def toy_corpus(page: str) -> list[str]:
    """Every beginning with every end, and each of the other lines twice."""
    cells = re.findall(r"^\| [^|]+ \| ([^|]+ · [^|]+) \|$", page, re.MULTILINE)
    begins, ends, others = (cell.split(" · ") for cell in cells)
    return [*map(" ".join, product(begins, ends)), *2 * others]


def worked_numbers(lines: list[str]) -> dict[str, str]:
    """The texts to insert, by name."""
    trained = _trained(lines)
    # Its round 0 has the first probabilities, and as P(x) the expected number of x in a sentence.
    first = _trained(lines, sub_iterations=1, membership="expected")
    sizes = [report.vocab_size for report in trained.rounds]
    split = get_pretokenizer("thunder-tok").split
    before, after = (one.round_table(0).set_index("token") for one in (first, trained))
    uses = {token: sum(line.count(token) for line in lines) for token in _TRACED.values()}
    lattice, new = first.lattice(_SEGMENTED, round=0), trained.lattice(_NEW)
    gone = sorted({*trained.alive_rows(1)} - {*trained.alive_rows(2)})
    likely, paths = lattice.nbest(2), new.nbest(2)
    numbers = {
        "lines": f"{len(lines)}",
        "distinct": f"{len(set(lines))}",
        "cut": _tokens(split(_CUT)),
        "cut_gpt2": _tokens(get_pretokenizer("gpt2").split(_CUT)),
        "pretokens": f"{len({piece for line in lines for piece in split(line)})}",
        "repeated": f"{_trained(lines, seed_vocabulary='ngrams').rounds[0].vocab_size - N_BYTES}",
        "seed": f"{sizes[0] - N_BYTES}",
        "segmentations": f"{lattice.n_segmentations}",
        "likely": f"{_tokens(map(lattice.label, likely[0].arcs))} ({likely[0].posterior:.1%})",
        "next": f"{_tokens(map(lattice.label, likely[1].arcs))} ({likely[1].posterior:.1%})",
        "rare": f"{trained.rounds[0].n_removed}",
        "quarter": f"{trained.rounds[1].n_removed}",
        "sizes": " → ".join(map(str, sizes)),
        "left": f"{sizes[1] - N_BYTES}",
        "removed": _tokens(trained.tokens[row].decode() for row in gone),
        "encoded": _tokens(map(new.label, paths[0].arcs)),
        "terms": " ".join(f"{new.log_prob[arc]:+.3f}" for arc in paths[0].arcs),
        "best": f"{paths[0].log_prob:.3f}",
        "second": f"{paths[1].log_prob:.3f}",
        "paths": f"{new.n_segmentations}",
    }
    for name, token in _TRACED.items():
        n, weight = uses[token], uses[token] * len(token)
        p_first, p_then = (math.exp(of.log_prob[token]) for of in (before, after))
        row = f"{n} | {p_first:.4f} | {before.p[token] * len(lines):.3f} | {p_then:.4f}"
        numbers |= {f"weight_{name}": f"{n} × {len(token)} = {weight}", "total": f"{weight / p_first:,.0f}"}
        numbers[f"em_{name}"] = f"{_tokens([token])} | {row}"
    for name, token in _RANKED.items():
        p, be = after.p[token], after.be[token] / math.log(2)
        numbers[f"be_{name}"] = f"{_tokens([token])} | {p:.4f} | {be:.4f} | {p * be:.4f}"
    return {name: text.replace("-", "−") for name, text in numbers.items()}


def _trained(lines: list[str], **changes: str | int) -> PrunedTokenizer:
    return require_pruning(train(lines, chosen_settings("thunder-tok", None, vocab_size=275, **changes)))


def _tokens(texts: Iterable[str]) -> str:
    return " ".join(f"`{text.replace(' ', '␣')}`" for text in texts)


def filled(page: str, numbers: Mapping[str, str]) -> str:
    """The page with the numbers as they are now."""
    return re.sub(r"<!--(\w+)-->.*?<!--/-->", lambda place: f"<!--{place[1]}-->{numbers[place[1]]}<!--/-->", page)


if __name__ == "__main__":
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        path.write_text(filled(page, worked_numbers(toy_corpus(page))), encoding="utf-8")
