"""The worked examples of the slides, the lesson and the textbook, computed; and the arithmetic of printed tables.

They need no text, so tests recompute all of it.
"""

import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import sentencepiece
import tokenizers

from app.toys.corpus import count_words
from app.toys.merges import max_match_steps, merge_steps, replay
from app.toys.unigram import (
    TEXTBOOK,
    all_segmentations,
    best_segmentation,
    corpus_loss,
    leave_one_out,
    probabilities,
    strict_substrings,
    viterbi_cells,
)
from engine.boundaries.patches import attention_cost
from engine.config import TrainingSettings
from engine.evidence.claims import printed
from engine.measure.parallel import sampling_shares
from engine.merge_settings import MergeSettings
from engine.pretokenization import get_pretokenizer
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.packed import unpacked
from engine.segmentation.scoring import harmonic_mean
from research.evidence.texts import EvidenceTexts

_SLIDES = MergeSettings(algorithm="bpe", pretokenizer="none", end_of_word="_", mark_place="symbol")
_SEPARATE = MergeSettings(algorithm="bpe", pretokenizer="none", end_of_word="</w>", mark_place="symbol")
_UNMARKED = MergeSettings(algorithm="bpe", pretokenizer="none")
_HUGS = "hug:10 pug:5 pun:12 bun:4 hugs:5"
_LOWEST = "low:5 lower:2 newest:6 widest:3"


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Empty: the examples are the sources' own."""
    return {}


def settings() -> dict[str, Any]:
    """How ties are broken."""
    return {"ties": _SLIDES.ties}


def figures(texts: EvidenceTexts, _: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All figures."""
    yield {
        "merges": _merges(),
        "unigram": _unigram(),
        "wordpiece": _wordpiece(),
        "sizes": _sizes(),
        "texts": _texts(),
        "table3": _table3(),
        "table4": _table4(),
        "means": {name: _row_means(name) for name in ("table4", "table11")},
        "table6": _table6(),
        "conventions": _conventions(),
        "table12": _means("table12"),
        "table12_first_row": _first_row(),
        "table11_tokens_by_fertility": _tokens_by_fertility(),
        "table1_largest_difference": max(
            round(abs(harmonic_mean(p, r) - f1), 2) for p, r, f1 in printed("entropy", "entropy_table1").values()
        ),
        "table1_above": _above("Baseline"),
        "table1_above_entropy_only": _above("Entropy Only"),
        "table1_pieces": {
            name: round(row[1] / row[0], 3) for name, row in printed("entropy", "entropy_table1").items()
        },
        "fragments": _fragments(),
    }


def _merges() -> dict[str, Any]:
    slides = _learned("low:5 lowest:2 newer:6 wider:3 new:2", _SLIDES, 8)
    first = merge_steps(count_words("low:5 lowest:2 newer:6 wider:3 new:2"), _SLIDES, 0)[0]
    lesson = merge_steps(count_words("low:5 lowest:2 newer:3 wider:2"), _SEPARATE, 2)
    small = _learned("ab:3 bc:2", _SEPARATE, 3)
    return {
        "slides": _texts_of(slides),
        "slides_first_count": first.pairs[0].frequency,
        "slow": list(_replayed("slow", slides, _SLIDES)),
        "now": list(_replayed("now", slides, _UNMARKED)),
        "lesson": _texts_of([step.chosen for step in lesson if step.chosen]),
        "lesson_pairs": {" ".join(row.pair): row.frequency for row in lesson[0].pairs},
        "lesson_pair_count": len(lesson[0].pairs),
        "lesson_lowest": _cuts("lowest", "low:5 lowest:2 newer:3 wider:2", "low est </w>"),
        "lowest": _texts_of(_learned(_LOWEST, _UNMARKED, 3)),
        "small": _texts_of(small),
        "small_abc": list(_replayed("abc", small, _SEPARATE)),
    }


def _learned(words: str, settings: MergeSettings, n: int) -> list[tuple[str, str]]:
    return [step.chosen for step in merge_steps(count_words(words), settings, n) if step.chosen]


def _cuts(word: str, words: str, wanted: str) -> bool:
    """Whether after any number of merges the word is cut as wanted."""
    merges = _learned(words, _SEPARATE, 99)
    return any(" ".join(_replayed(word, merges[:n], _SEPARATE)) == wanted for n in range(len(merges) + 1))


def _texts_of(merges: Sequence[tuple[str, str]]) -> list[str]:
    return [" ".join(pair) for pair in merges]


def _replayed(word: str, merges: Sequence[tuple[str, str]], settings: MergeSettings) -> tuple[str, ...]:
    first, steps = replay(word, merges, settings)
    return steps[-1].symbols if steps else first


def _unigram() -> dict[str, Any]:
    words = count_words(_HUGS)
    counts = strict_substrings(words)
    prob = probabilities(counts)
    cells = viterbi_cells("unhug", prob)
    cats = {token: 2.718281828459045**value for token, value in TEXTBOOK.items()}
    without = {token: value for token, value in cats.items() if token != "cats"}
    last = viterbi_cells("cats", without)[-1]
    return {
        "counts": counts,
        "unhug": [round(2.718281828459045**cell.best.total, 6) for cell in cells if cell.best],
        "unhug_tokens": list(best_segmentation("unhug", prob)[0]),
        "cats": round(best_segmentation("cats", cats)[1], 6),
        "cats_without": round(best_segmentation("cats", without)[1], 6),
        "cats_without_tokens": [[*best_segmentation("cats"[: tie.begin], without)[0], tie.token] for tie in last.ties],
        "segmentations": {str(n): 2 ** (n - 1) for n in (10, 20)},
        "removal_raises_likelihood": min(leave_one_out(words, prob).values()) < 0,
        "removal_raises_loss": min(leave_one_out(words, prob).values()) >= 0,
        "loss_is_minus_log": math.isclose(
            corpus_loss({"pug": 1, "hugs": 1}, prob),
            -sum(math.log(max(one.prob for one in all_segmentations(word, prob))) for word in ("pug", "hugs")),
        ),
    }


def _wordpiece() -> dict[str, Any]:
    slides = _learned("low:5 lowest:2 newer:6 wider:3 new:2", _SLIDES, 8)
    known = {*"_deilnorstw", *("".join(pair) for pair in slides)}
    bert = frozenset(unpacked("bert").decode().splitlines())
    return {
        "likelihood": {"t h": round(1000 / (5000 * 3000), 7), "q u": round(200 / (210 * 2000), 6)},
        "slow": [step.token for step in max_match_steps("slow_", known, _UNMARKED)],
        "printed_code": {word: _printed_max_match(word, bert) for word in ("unaffable", "infill")},
    }


def _printed_max_match(word: str, vocabulary: Collection[str]) -> list[str]:
    """The textbook's loop, which inside a word also accepts a piece that the vocabulary only has without its mark."""
    found, at = [], 0
    while at < len(word):
        end = next(
            end
            for end in range(len(word), at, -1)
            if word[at:end] in vocabulary or (at and f"##{word[at:end]}" in vocabulary)
        )
        found.append(f"##{word[at:end]}" if at else word[at:end])
        at = end
    return found


def _sizes() -> dict[str, Any]:
    sizes = {"en": 300, "fr": 50, "ur": 1}
    n, patch = 1024, 8
    return {
        "gpt2_table_millions": round(50_257 * 768 / 1e6, 1),
        "gpt2_table_percent_of_124m": round(100 * 50_257 * 768 / 124e6),
        "characters_table": 256 * 768,
        "llama2_tables_millions": round(2 * 32_000 * 4096 / 1e6),
        "character_tables_millions": round(2 * 256 * 4096 / 1e6),
        "gpt2_vocabulary": 256 + 50_000 + 1,
        "llama2_vocabulary": PUBLIC_TOKENIZERS["llama2"].vocab_size,
        "byt5_vocabulary": 256 + 3,
        "alpha_0.3": _rounded(sampling_shares(sizes, 0.3), 3),
        "alpha_1": _rounded(sampling_shares(sizes, 1.0), 3),
        "megabyte": round(attention_cost(n, patch)),
        "attention_of_4x": 4**2,
        "chinese_gpt2_millions": _parameters(21_128, 1024, 24, 1024),
        "encoders_millions": {
            "XLM-R Base": _parameters(250_000, 768, 12, 512),
            "XLM-R Large": _parameters(250_000, 1024, 24, 512),
        },
    }


def _parameters(vocab_size: int, width: int, layers: int, positions: int) -> float:
    """Parameters of a transformer with tied embeddings and a feed-forward layer of four times its width, millions."""
    layer = 12 * width**2 + 13 * width  # attention, feed-forward, biases and norms
    return round(((vocab_size + positions) * width + layers * layer + 2 * width) / 1e6, 1)


def _texts() -> dict[str, Any]:
    gpt2 = get_pretokenizer("gpt2")
    thunder_tok = get_pretokenizer("thunder-tok")
    return {
        "hello_characters": len("Hello world"),
        "unhappiness_characters": len("unhappiness is unlearnable"),
        "unhappiness_words": len(["unhappiness", "is", "unlearnable"]),
        "understanding": len("understanding"),
        "coffee_gpt2": [piece.strip() for piece in gpt2.split("Just drank 2 cups of coffee!")],
        "pretokens": {text: thunder_tok.split(text) for text in ("그 것", "점심 시간", "New York")},
        "utf8": {char: char.encode().hex(" ").upper() for char in ("A", "Ω", "語", "\U00010100")},
        "code_points": sys.maxunicode + 1,
        "emoji_bytes": {char: len(char.encode()) for char in ("😀", "🎉", "🚀")},
        "simple_regex": {text: len(re.findall(r"\w+|[^\w\s]", text)) for text in ("3.14", "0.0.0.0")},
        "yao_ming": {name: len(parts.split()) for name, parts in printed("slides", "chinese").items()},
        "utf8_bytes": {char: len(char.encode()) for char in ("A", "é", "語", "😀", "☕")},
    }


def _rounded(values: Mapping[str, float], digits: int) -> dict[str, float]:
    return {name: round(value, digits) for name, value in values.items()}


def _means(exhibit: str) -> dict[str, float]:
    rows = printed("thunder_tok", exhibit)
    return {name: round(sum(row) / len(row), 4) for name, row in rows.items()}


def _table3() -> dict[str, Any]:
    rows = printed("thunder_tok", "table3")
    means, stated = _means("table3"), printed("thunder_tok", "table3", "t3_means")
    benchmarks = {name: sum(row[1:]) for name, row in rows.items()}
    against_bpe = [round(_change(a, b), 1) for a, b in zip(rows["Thunder-Tok"], rows["BPE"], strict=True)]
    return {
        "means": means,
        "change": {
            name: round(_change(of["Thunder-Tok"], of["BPE"]), 1)
            for name, of in (("printed means", stated), ("five columns", means), ("four benchmarks", benchmarks))
        },
        "least_and_most_saved": [-max(against_bpe), -min(against_bpe)],
    }


def _change(after: float, before: float) -> float:
    return 100 * (after / before - 1)


# Examples of HellaSwag, COPA, ARC-e and LAMBADA (appendix B); section 4.3 weights the mean with them.
_EXAMPLES = (500, 1000, 2376, 2255)


def _weighted(row: Sequence[float]) -> float:
    """Mean accuracy of a row of Table 4 or 11 as section 4.3 defines it."""
    return sum(n * score for n, score in zip(_EXAMPLES, row[1:5], strict=True)) / sum(_EXAMPLES)


def _row_means(exhibit: str) -> dict[str, dict[str, float]]:
    """Means of the four columns of a row of Table 4 or 11: plain, and weighted as section 4.3 says."""
    rows = printed("thunder_tok", exhibit)
    return {
        name: {"plain mean": round(sum(row[1:5]) / 4, 2), "weighted mean": round(_weighted(row), 2)}
        for name, row in rows.items()
    }


def _table4() -> dict[str, Any]:
    """Training tokens saved by Thunder-Tok, percent; its lead over the others, points; and how far the printed means
    of Tables 4 and 11 are above the weighted means of their columns, points."""
    rows = printed("thunder_tok", "table4")
    tokens = {name: row[0] for name, row in rows.items()}
    groups = [name.removesuffix("Thunder-Tok") for name in rows if name.endswith("Thunder-Tok")]
    small = [group for group in groups if group.startswith("360M")]

    def saved(group: str, other: str) -> float:
        return round(-_change(tokens[f"{group}Thunder-Tok"], tokens[group + other]), 1)

    def above(group: str, other: str) -> float:
        return round(_weighted(rows[f"{group}Thunder-Tok"]) - _weighted(rows[group + other]), 2)

    others = [saved(group, other) for group in small for other in ("Unigram", "BPE-Mecab")]
    against_bpe = [saved(group, "BPE") for group in small]
    means = [*rows.values(), *printed("thunder_tok", "table11").values()]
    growth = [tokens[f"1.5B 128K {name}"] / tokens[f"360M 128K {name}"] for name in ("BPE", "Unigram", "Thunder-Tok")]
    return {
        "saved_against_bpe": [min(against_bpe), max(against_bpe)],
        "above_bpe": [min(above(g, "BPE") for g in small), max(above(g, "BPE") for g in small)],
        "saved_against_others": [min(others), max(others)],
        "saved_at_1.5B": saved("1.5B 128K ", "BPE-Mecab"),
        "most_below_others": -min(above(g, o) for g in small for o in ("Unigram", "BPE-Mecab")),
        "mecab_tokens_by_growth": round(3 * tokens["1.5B 128K BPE-Mecab"] / sum(growth), 1),
        "above_weighted_mean": _least_and_most(row[5] - _weighted(row) for row in means),
    }


def _least_and_most(values: Iterable[float]) -> list[float]:
    found = [round(value, 2) for value in values]
    return [min(found), max(found)]


def _table6() -> dict[str, dict[str, int]]:
    """Parameters of a Llama with 128,000 tokens, millions: attention without shared keys, gated feed-forward part."""
    found: dict[str, dict[str, int]] = {}
    for name, hidden, inner, layers in zip(("360M", "1.5B"), *_shapes(), strict=True):
        body = layers * (4 * hidden**2 + 3 * hidden * inner + 2 * hidden) + hidden
        table = 128_000 * hidden
        found[name] = {"tied": round((body + table) / 1e6), "untied": round((body + 2 * table) / 1e6)}
    return found


def _shapes() -> list[list[int]]:
    rows = printed("thunder_tok", "table6")
    return [rows[name] for name in ("hidden size", "intermediate size", "hidden layers")]


def _conventions() -> dict[str, str | int]:
    """What Algorithm 1 and section 3.3 leave open, as we chose it."""
    chosen = TrainingSettings()
    return {
        "m": f"{100 * chosen.shrink:g}%",
        "EM steps a round": chosen.sub_iterations,
        "P(y)": f"1 / distinct {chosen.context}s",
        "P(x|y)": chosen.membership,
        "fewest occurrences": chosen.min_count,
        "most candidates": chosen.max_seed,
        "most bytes": chosen.max_token_bytes,
    }


def _above(other: str) -> dict[str, bool]:
    rows = printed("entropy", "entropy_table1")
    return {name: row[2] > rows[other][2] for name, row in rows.items() if name != other}


def _fragments() -> dict[str, Any]:
    """The textbook's fragments 1.6.1d and 1.6.2a, and the lesson's ▁New▁York, with the libraries that they name."""
    lines = ["The cat sat on the mat.", "The dog chased the cat.", "Language models learn from text."]
    york = ["New York"] * 9 + ["New York City"]
    try:
        _sentencepiece(lines, vocab_size=50, model_type="unigram")
        limit = None
    except RuntimeError as error:
        limit = int(str(error).rstrip(".").rpartition(" ")[2])
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
    peer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=100, special_tokens=["[UNK]", "[PAD]"], show_progress=False)
    peer.train_from_iterator(["The cat sat on the mat", "The dog chased the cat"], trainer=trainer)
    return {
        "sentencepiece_most": limit,
        "tokenizers": peer.encode("The cat chased the dog").tokens,
        "new_york": {
            f"split_by_whitespace={split}": "▁New▁York"
            in _sentencepiece(york, split_by_whitespace=split, vocab_size=30, model_type="bpe", hard_vocab_limit=False)
            for split in (True, False)
        },
    }


def _sentencepiece(lines: Sequence[str], **options: Any) -> list[str]:
    """The vocabulary of a model that SentencePiece trains."""
    model = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, minloglevel=2, **options
    )
    found = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [found.id_to_piece(k) for k in range(found.get_piece_size())]


def _first_row() -> str:
    """Table 5's name for the pre-tokenization of Table 12's first row, identified by its average."""
    mean = next(iter(_means("table12").values()))
    rows = printed("thunder_tok", "table5")
    return min(rows, key=lambda name: abs(rows[name][1] - mean)).partition(",")[0]


def _tokens_by_fertility() -> float:
    """Training tokens of Table 11's second row, billions, if proportional to the fertility on the training text."""
    fertility = {name: row[0] for name, row in printed("thunder_tok", "table12").items()}
    tokens = {name: row[0] for name, row in printed("thunder_tok", "table11").items()}
    _, second, _, last = fertility
    return round(tokens[last] * fertility[second] / fertility[last], 1)
