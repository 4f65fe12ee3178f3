"""The search for the recipe "fewest tokens": `python research/search_fewest.py [VARIANT ...]`.

Trains on data/ko_mix and counts tokens per word on other texts: BPE, Thunder-Tok as printed, the recipe, and variants
of the recipe (all, or those named). Everything is deterministic. Options:

--data FOLDER    with `ko_mix/*.txt.zst` and the texts of TEXTS (default: ../shared/data beside the repository)
--vocab-size N   size of the final vocabulary (default: 32000)
--half 0|1       train on every other register, starting at the first or the second, and measure on the remaining
                 registers
--threads T      (default: 1)

Each line of the table: tokens per word on each text, the mean ratio to byte BPE with GPT-2's pattern and to BPE with
the recipe's pre-tokens, and the `floor`: the latter ratio for the fewest tokens that the vocabulary allows (the
shortest path, whatever its probability).
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.config import N_BYTES, RECIPES, TrainingSettings
from engine.corpus.arrays import Corpus
from engine.corpus.reading.read import read_corpus
from engine.measure.words import find_words
from engine.merge_settings import MergeSettings
from engine.merges.trainer import MergeTrainer, bpe_tokens
from engine.tokenizer import Tokenizer
from engine.training import train
from engine.unigram.model.model import Model
from engine.unigram.train.seed import build_seed
from engine.unigram.train.trainer import train as train_unigram
from engine.unigram.train.training_corpus import build_corpus

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
TEXTS = ("ko_klue_casual", "ko_reviews_small", "parallel_pud/ko", "ko_kaist_raw", "ko_formal", "ko_literature")
LONGEST = 32  # bytes of a token

Texts = Mapping[str, Sequence[str]]


class Bench:
    """A corpus cut for the recipe, its BPE merges, and the settings to train a variant."""

    def __init__(self, lines: Sequence[str], vocab_size: int, threads: int) -> None:
        self.settings = TrainingSettings(vocab_size=vocab_size, **RECIPES["fewest-tokens"])
        self.threads = threads
        self.corpus: Corpus = build_corpus(lines, self.settings)
        self.merges = bpe_tokens(self.corpus.pretokens, replace(self.settings, seed_factor=FACTORS[-1]))

    def best(self, factor: float) -> list[str]:
        """The merges in the seed of that factor."""
        return self.merges[: int(factor * self.settings.vocab_size) - N_BYTES]

    def train(self, tokens: Sequence[str], **changes: Any) -> Model:
        """The recipe with this seed vocabulary and these settings."""
        return train_unigram(self.corpus, replace(self.settings, **changes), self.threads, list(tokens))


def character_merges(bench: Bench) -> list[str]:
    """The merges of a BPE that starts from characters instead of bytes."""
    settings = MergeSettings(algorithm="bpe", vocab_size=None, ties="tokenizers", min_count=2)
    trainer = MergeTrainer(bench.corpus.pretokens, settings)
    surfaces = [token.surface for token in trainer.alphabet.tokens]
    surfaces = [b""] * (trainer.n_first - len(surfaces)) + surfaces
    wanted = len(bench.best(2))
    for report in trainer.rounds(wanted):
        if report.number >= wanted:
            break
    for left, right in zip(trainer.history.left.tolist(), trainer.history.right.tolist(), strict=True):
        surfaces.append(surfaces[left] + surfaces[right])
    new = [surface.decode() for surface in surfaces[trainer.n_first :] if len(surface) <= LONGEST]
    return list(dict.fromkeys(new))


def linguistic(bench: Bench, n: int) -> list[str]:
    """The n linguistic units with the largest count x length."""
    settings = replace(bench.settings, seed_vocabulary="linguistic", max_seed=n)
    seed, _, _ = build_seed(bench.corpus, settings, bench.threads)
    pieces = [seed.blob[a:b].tobytes().decode() for a, b in pairwise(seed.ptr.tolist()[N_BYTES:])]
    return [piece for piece in pieces if len(piece) > 1][:n]


def neighbours(bench: Bench, model: Model, n: int) -> list[str]:
    """The n most frequent pairs of adjacent tokens in the best segmentations of the corpus, as texts."""
    pretokens = bench.corpus.pretokens
    texts = [pretokens.text(i) for i in range(pretokens.count.size)]
    vocabulary = model.vocabulary()
    numbers, ptr = vocabulary.encode_lines(texts)
    counts: Counter[tuple[int, int]] = Counter()
    flat, bounds = numbers.tolist(), ptr.tolist()
    for count, a, b in zip(pretokens.count.tolist(), bounds, bounds[1:], strict=False):
        for pair in pairwise(flat[a:b]):
            counts[pair] += count
    new = []
    for (left, right), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        joined = vocabulary.tokens[left] + vocabulary.tokens[right]
        if left >= N_BYTES and right >= N_BYTES and count > 1 and len(joined) <= LONGEST:
            new.append(joined.decode())
        if len(new) == n:
            break
    return new


def several(model: Model) -> list[str]:
    """The tokens of several characters."""
    texts = [model.tokens[row].decode(errors="ignore") for row in model.alive_rows()[N_BYTES:]]
    return [text for text in texts if len(text) > 1]


def again(bench: Bench, factor: float, rounds: int, share: float = 0.1) -> Model:
    """Prune, add pairs of adjacent tokens, prune again."""
    model = bench.train(bench.best(factor))
    for _ in range(rounds):
        added = neighbours(bench, model, int(share * bench.settings.vocab_size))
        model = bench.train(list(dict.fromkeys([*several(model), *added])))
    return model


def with_units(bench: Bench) -> Model:
    """Train from merges and linguistic units together."""
    return bench.train(list(dict.fromkeys([*bench.best(2), *linguistic(bench, 2 * bench.settings.vocab_size)])))


def with_factor(factor: float, bench: Bench) -> Model:
    """Train from the merges of that factor."""
    return bench.train(bench.best(factor))


FACTORS = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0)
VARIANTS: dict[str, Callable[[Bench], Model]] = {
    **{f"factor {factor:g}": partial(with_factor, factor) for factor in FACTORS},
    "2, from characters": lambda bench: bench.train(character_merges(bench)),
    "2, and units": with_units,
    "2, 4 E steps": lambda bench: bench.train(bench.best(2), sub_iterations=4),
    "2, shrink 0.1": lambda bench: bench.train(bench.best(2), shrink=0.1),
    "1.1, be_p": lambda bench: bench.train(bench.best(1.1), score="be_p"),
    "1.1, ml": lambda bench: bench.train(bench.best(1.1), score="ml"),
    "1.1, again": lambda bench: again(bench, 1.1, 1),
    "1.1, 4 times again": lambda bench: again(bench, 1.1, 4),
}


class Cost(NamedTuple):
    """Tokens per word by text: in the best segmentations, and the fewest that the vocabulary allows."""

    best: np.ndarray  # float64[n_texts]
    floor: np.ndarray | None


def tokens_of(tokenizer: Tokenizer) -> Callable[[Sequence[str]], int]:
    """A function that counts the tokens of lines."""
    return lambda lines: tokenizer.encode_lines(lines).ids.size


def cost(encode: Callable[[Sequence[str]], int], texts: Texts) -> np.ndarray:
    """Tokens per word (float64[n_texts])."""
    return np.array([encode(lines) / find_words(lines).begin.size for lines in texts.values()])


def cost_of(model: Model, texts: Texts) -> Cost:
    """Cost of a model with probabilities."""
    return Cost(cost(tokens_of(model), texts), cost(lambda lines: int(model.fewest_tokens(lines).sum()), texts))


def baselines(vocab_size: int) -> dict[str, TrainingSettings]:
    """The tokenizers that the recipe is compared with."""
    bpe = TrainingSettings("byte-bpe", vocab_size, "gpt2")
    return {
        "byte BPE, GPT-2": bpe,
        "byte BPE, joined": replace(bpe, pretokenizer=RECIPES["fewest-tokens"]["pretokenizer"]),
        "Thunder-Tok": TrainingSettings(vocab_size=vocab_size),
    }


def show(name: str, found: Cost, bpe: np.ndarray, inside: np.ndarray, began: float) -> None:
    """Print a line of the table."""
    ratios = [(found.best / other).mean() for other in (bpe, inside)]
    floor = f"{(found.floor / inside).mean():7.4f}" if found.floor is not None else " " * 7
    numbers = " ".join(f"{value:6.3f}" for value in found.best)
    print(
        f"{name:<18} {numbers} {ratios[0]:7.4f} {ratios[1]:7.4f} {floor} {time.perf_counter() - began:6.0f} s",
        flush=True,
    )


def registers(folder: Path) -> dict[str, list[str]]:
    """The lines of each register."""
    return {path.name.removesuffix(".txt.zst"): read_corpus(path) for path in sorted(folder.glob("*.txt.zst"))}


def split(data: Path, half: int | None) -> tuple[list[str], Texts]:
    """Lines to train on, and texts to measure on."""
    known = registers(data / "ko_mix")
    if half is None:
        return [line for lines in known.values() for line in lines], {n: read_corpus(data / f"{n}.txt") for n in TEXTS}
    names = list(known)[half::2]
    train_on = [line for name in names for line in known[name]]
    return train_on, {name: lines for name, lines in known.items() if name not in names}


def main() -> None:
    """Train, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help=", ".join(VARIANTS))
    parser.add_argument("--data", type=Path, default=SHARED, metavar="FOLDER")
    parser.add_argument("--vocab-size", type=int, default=32_000, metavar="N")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--threads", type=int, default=1, metavar="T")
    options = parser.parse_args()
    unknown = set(options.variants) - set(VARIANTS)
    if unknown:
        parser.error(f"unknown variants: {', '.join(sorted(unknown))}; choose from: {', '.join(VARIANTS)}")
    if not (options.data / "ko_mix").is_dir():
        print(f"skipped: there is no {options.data / 'ko_mix'}, the corpora that this search is about; give --data")
        return
    lines, texts = split(options.data, options.half)
    print("on", ", ".join(texts))
    found = {}
    for name, settings in baselines(options.vocab_size).items():
        began = time.perf_counter()
        tokenizer = train(lines, settings, options.threads)
        found[name] = cost(tokens_of(tokenizer), texts)
        bpe, inside = found[next(iter(found))], found.get("byte BPE, joined", found[name])
        show(name, Cost(found[name], None), bpe, inside, began)
    bench = Bench(lines, options.vocab_size, options.threads)
    for name in options.variants or VARIANTS:
        began = time.perf_counter()
        show(name, cost_of(VARIANTS[name](bench), texts), bpe, inside, began)


if __name__ == "__main__":
    main()
