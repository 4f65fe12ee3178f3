"""Train a vocabulary and write its model file.

Progress goes to standard error.
"""

import argparse
import json
import os
import sys
import time

from engine import config
from engine.config import TrainingSettings
from engine.corpus.arrays import build_corpus
from engine.corpus.normalize import normalization_changes
from engine.corpus.read import read_lines
from engine.merges.model_file import save_merge_model
from engine.merges.settings import ALGORITHMS as MERGE_ALGORITHMS
from engine.merges.trainer import merge_trainer
from engine.unigram.model_file import save_model
from engine.unigram.trainer import Trainer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    defaults = TrainingSettings()
    parser.add_argument("corpus", nargs="+", metavar="CORPUS", help="text files, one sentence a line")
    parser.add_argument("--output", required=True, metavar="MODEL", help="model file to write")
    parser.add_argument("--algorithm", choices=config.ALGORITHMS, default=defaults.algorithm)
    parser.add_argument(
        "--vocab-size", type=int, required=True, metavar="N", help="tokens, special ones and the 256 bytes included"
    )
    parser.add_argument(
        "--pretokenizer",
        default=defaults.pretokenizer,
        metavar="NAME|REGEX",
        help="thunder-tok (default), thunder-tok-readme, gpt2, whitespace, none, mecab or a regular expression",
    )
    parser.add_argument("--score", choices=config.SCORES, help="default: be_p; ml for --algorithm unigram")
    parser.add_argument(
        "--seed-vocabulary",
        choices=config.SEED_VOCABULARIES,
        help="default: linguistic; ngrams for --algorithm unigram",
    )
    parser.add_argument("--context", choices=config.CONTEXTS, default=defaults.context)
    parser.add_argument("--membership", choices=config.MEMBERSHIPS, default=defaults.membership)
    parser.add_argument("--ties", choices=config.TIES, default=defaults.ties, help="merge algorithms only")
    parser.add_argument("--sentencepiece-safe", action="store_true", help="keep only tokens that no boundary can cut")
    parser.add_argument("--partial-characters", action="store_true", help="runs of bytes in a character as tokens")
    parser.add_argument("--shrink", type=float, default=defaults.shrink, metavar="M", help="share removed a round")
    parser.add_argument("--sub-iterations", type=int, default=defaults.sub_iterations, metavar="K")
    parser.add_argument("--min-count", type=int, default=defaults.min_count, metavar="C")
    parser.add_argument("--max-token-bytes", type=int, default=defaults.max_token_bytes, metavar="B")
    parser.add_argument("--special-token", action="append", default=[], metavar="TEXT", help="may be repeated")
    parser.add_argument("--normalization", choices=config.NORMALIZATIONS, default=defaults.normalization)
    parser.add_argument("--threads", type=int, default=min(8, os.cpu_count() or 1), metavar="T")


def settings_of(options: argparse.Namespace) -> TrainingSettings:
    """Settings that the options ask for; the Unigram LM is the same trainer with other defaults."""
    unigram = options.algorithm == "unigram"
    return TrainingSettings(
        algorithm=options.algorithm,
        vocab_size=options.vocab_size,
        pretokenizer=options.pretokenizer,
        score=options.score or ("ml" if unigram else "be_p"),
        seed_vocabulary=options.seed_vocabulary or ("ngrams" if unigram else "linguistic"),
        context=options.context,
        membership=options.membership,
        shrink=options.shrink,
        sub_iterations=options.sub_iterations,
        min_count=options.min_count,
        max_token_bytes=options.max_token_bytes,
        special_tokens=tuple(options.special_token),
        normalization=options.normalization,
        sentencepiece_safe=options.sentencepiece_safe,
        partial_characters=options.partial_characters,
        ties=options.ties,
    )


def run(options: argparse.Namespace) -> None:
    """Train and save."""
    settings = settings_of(options)
    began = time.perf_counter()
    lines = [line for path in options.corpus for line in read_lines(path)]
    _report_normalization(lines, settings.normalization)
    train = _train_merges if settings.algorithm in MERGE_ALGORITHMS else _train_unigram
    result = train(lines, settings, options)
    result = {**result, "seconds": round(time.perf_counter() - began, 3)}
    ordered = {key: result[key] for key in ("vocab_size", "rounds", "objective", "seconds", "sha256")}
    sys.stdout.write(json.dumps(ordered) + "\n" if options.json else _summary(options.output, ordered))


def _train_unigram(lines: list[str], settings: TrainingSettings, options: argparse.Namespace) -> dict[str, object]:
    trainer = Trainer(build_corpus(lines, settings), settings, options.threads)
    for report in trainer.rounds():
        sys.stderr.write(
            f"round {report.number}: {report.vocab_size:,} tokens, objective {report.objective:.4f}, "
            f"{report.n_removed:,} removed\n"
        )
    sha256 = save_model(trainer.model(), options.output)
    return {
        "vocab_size": report.vocab_size,
        "rounds": report.number + 1,
        "objective": report.objective,
        "sha256": sha256,
    }


def _train_merges(lines: list[str], settings: TrainingSettings, options: argparse.Namespace) -> dict[str, object]:
    """BPE and WordPiece: a round is a merge, and the objective is the number of tokens in the corpus."""
    trainer = merge_trainer(lines, settings)
    for report in trainer.rounds():
        sys.stderr.write(
            f"{report.n_merges:,} merges: {report.vocab_size:,} tokens, {report.n_tokens:,} in the corpus\n"
        )
    sha256 = save_merge_model(trainer.model(), options.output)
    return {
        "vocab_size": report.vocab_size,
        "rounds": report.n_merges,
        "objective": report.n_tokens,
        "sha256": sha256,
    }


def _summary(path: str, result: dict[str, object]) -> str:
    return (
        f"{path}: {result['vocab_size']:,} tokens after {result['rounds']:,} rounds in {result['seconds']} s, "
        f"objective {result['objective']:,.10g}\nsha256 {result['sha256']}\n"
    )


def _report_normalization(lines: list[str], form: str) -> None:
    if form == "none":
        return
    n_changed, changes = normalization_changes(lines, form)
    sys.stderr.write(f"{form}: {n_changed:,} of {len(lines):,} lines changed\n")
    for change in changes[:5]:
        before, after = (" ".join(f"U+{ord(c):04X}" for c in text[:8]) for text in (change.before, change.after))
        sys.stderr.write(f"  {change.after}: {before} -> {after} ({change.times:,} times)\n")
