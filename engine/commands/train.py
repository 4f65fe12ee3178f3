"""Train a vocabulary and write its model file.

Progress goes to standard error.
"""

import argparse
import json
import re
import sys
import time
from dataclasses import Field, fields
from typing import Any

from engine.boundaries.learned import is_learned
from engine.commands.corpus_options import add_reading_arguments, read_text
from engine.commands.options import add_option, whole_number
from engine.config import (
    AUTHORS,
    PARITY_BPE,
    RECIPES,
    SUPERBPE,
    UNIGRAM,
    UNIGRAM_ALGORITHMS,
    TrainingSettings,
    chosen_settings,
    defaults_of,
    unused_settings,
)
from engine.corpus.morphemes.selective import ALL, KINDS, PREFIX, is_selective
from engine.corpus.normalize import normalization_changes
from engine.corpus.pretokens.known_patterns import TIKTOKEN_PATTERNS
from engine.corpus.pretokens.presets import PRESETS
from engine.errors import InputError
from engine.machine.threads import MOST_THREADS, usable_threads
from engine.pretokenization import MECAB, PRETOKENIZERS
from engine.progress import Progress
from engine.training import Training, merge_training, start_training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_settings_arguments(parser, (PARITY_BPE,))
    parser.add_argument(
        "--parallel",
        nargs="+",
        metavar="FILE",
        help=f"for {PARITY_BPE}, where each CORPUS is a language: the same sentences in each of them, line by line",
    )
    parser.add_argument(
        "--global-merges",
        type=int,
        metavar="N",
        help=f"for {PARITY_BPE}: merges of the most frequent pairs of all languages to begin with (default: 0)",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--stream", action="store_true", help="hold one shard of the corpus in memory, all others on disk"
    )
    where.add_argument(
        "--dask", metavar="ADDRESS", help="train on the workers of a Dask scheduler, or on local:N processes"
    )
    parser.add_argument(
        "--spool",
        metavar="FOLDER",
        help="where --stream and --dask keep the corpus meanwhile; any that fsspec can write (default: temporary)",
    )
    parser.add_argument("--output", required=True, metavar="MODEL", help="model file to write")


def add_settings_arguments(parser: argparse.ArgumentParser, more_algorithms: tuple[str, ...] = ()) -> None:
    """The corpus, and all settings of a training; `more_algorithms` are those that need more than a corpus."""
    parser.add_argument(
        "corpus",
        nargs="+",
        metavar="CORPUS",
        help="text files, one sentence a line, or tables (.csv, .tsv, .jsonl, .parquet); also packed (.gz, .zst)",
    )
    add_reading_arguments(parser)
    for setting in fields(TrainingSettings):
        _add_setting(parser, setting, more_algorithms if setting.name == "algorithm" else ())
    parser.add_argument(
        "--preset",
        choices=tuple(RECIPES),
        help="score, seed vocabulary and pre-tokenizer by one name, each of which an option of its own overrides: "
        f"thunder-tok as in the paper, fewest-tokens, or authors, which trains as the authors' program does "
        f"(default: {next(iter(RECIPES))})",
    )
    add_option(parser, "--threads", usable_threads(), "threads", type=whole_number(1, MOST_THREADS), metavar="T")


# What a preset or the algorithm decides where the option is not given, and what else its help says.
_DEPENDENT = {
    "pretokenizer": f": {', '.join((*PRESETS, *TIKTOKEN_PATTERNS))}, {MECAB}, {PREFIX}KINDS (those of "
    f"{'-'.join(KINDS)}, or {ALL}: where training alone cuts, for algorithms that merge), boundaries learned from the "
    "corpus (pmi-entropy, pmi-entropy:LAMBDA, entropy-only, lm-entropy, lm-entropy:ORDER) or a regular expression "
    f"(default: {TrainingSettings.pretokenizer}; {defaults_of(SUPERBPE).pretokenizer} for superbpe)",
    "context": f" (default: {TrainingSettings.context}; {AUTHORS['context']} for the preset authors)",
    "membership": f" (default: {TrainingSettings.membership}; {AUTHORS['membership']} for the preset authors)",
    "ties": f" (default: {TrainingSettings.ties}; {defaults_of(SUPERBPE).ties} for superbpe)",
    "transition": f" (default: {TrainingSettings.transition}; for superbpe only)",
    "score": f" (default: {TrainingSettings.score}; {UNIGRAM['score']} for unigram)",
    "seed_vocabulary": f" (default: {TrainingSettings.seed_vocabulary}; {UNIGRAM['seed_vocabulary']} for unigram)",
}


def _add_setting(parser: argparse.ArgumentParser, setting: Field[Any], more: tuple[str, ...]) -> None:
    """The option of one setting, of the same name."""
    name, option, about = setting.name, "--" + setting.name.replace("_", "-"), setting.metadata
    if setting.default is False:
        parser.add_argument(option, action="store_true", default=None, help=about["help"])
        return
    if name == "special_tokens":
        parser.add_argument(
            "--special-token", dest=name, action="append", default=[], metavar=about["metavar"], help=about["help"]
        )
        return
    is_required = name == "vocab_size"
    parser.add_argument(
        option,
        type=type(setting.default),
        choices=(*about["choices"], *more) or None,
        default=None if is_required or name in _DEPENDENT else setting.default,
        required=is_required,
        metavar=about["metavar"],
        help=about["help"] + _DEPENDENT.get(name, "" if is_required else " (default: %(default)s)"),
    )


def settings_of(options: argparse.Namespace) -> TrainingSettings:
    """The settings given by the options; InputError if a pre-tokenizer has the form of a name and is none."""
    asked = {setting.name: getattr(options, setting.name) for setting in fields(TrainingSettings)}
    asked["special_tokens"] = tuple(options.special_tokens)
    given = {name: value for name, value in asked.items() if value is not None and name != "algorithm"}
    settings = chosen_settings(options.algorithm, options.preset, **given)
    name = settings.pretokenizer
    is_known = name in PRETOKENIZERS or is_selective(name) or is_learned(name)
    if not is_known and re.fullmatch(r"[a-z][\w-]+", name):  # as a pattern a word cuts almost nothing
        raise InputError("pretokenizer.unknown", name=name, names=", ".join(PRETOKENIZERS))
    if unused := [f"--{name.replace('_', '-')}" for name in unused_settings(settings)]:
        sys.stderr.write(f"{options.algorithm} does not use {', '.join(unused)}\n")
    return settings


def run(options: argparse.Namespace) -> None:
    """Train and save."""
    try:
        _run(options)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped; nothing was written") from None


def _run(options: argparse.Namespace) -> None:
    if options.algorithm == PARITY_BPE:
        _train_parity(options)
        return
    if options.parallel or options.global_merges is not None:
        raise InputError("parity.only", option="--parallel" if options.parallel else "--global-merges")
    settings = settings_of(options)
    if not (options.stream or options.dask):
        began = time.perf_counter()
        _train(options, settings, start_training(corpus_lines(options), settings, options.threads), began)
        return
    from engine.scale.training import scaled_training

    began = time.perf_counter()
    with scaled_training(
        options.corpus,
        settings,
        column=options.column,
        encoding=options.encoding,
        split=options.split,
        dask=options.dask,
        spool=options.spool,
        threads=options.threads,
    ) as training:
        _train(options, settings, training, began)


def _train_parity(options: argparse.Namespace) -> None:
    """Train on a file and a parallel file of each language; the settings are those of byte-level BPE."""
    from engine.merges.parity import parity_trainer

    began = time.perf_counter()
    if not options.parallel:
        raise InputError("parity.missing")
    if options.stream or options.dask:
        raise InputError("parity.memory")
    if options.pretokenizer is None:
        options.pretokenizer = "gpt2"
    settings = settings_of(argparse.Namespace(**{**vars(options), "algorithm": "byte-bpe"}))
    texts, parallel = ([read_text(options, path) for path in paths] for paths in (options.corpus, options.parallel))
    _report_normalization([line for text in texts for line in text], options.normalization)
    trainer = parity_trainer(texts, parallel, settings, options.global_merges or 0)
    _train(options, settings, merge_training(trainer), began)


def _train(options: argparse.Namespace, settings: TrainingSettings, training: Training, began: float) -> None:
    for report in training.rounds():
        sys.stderr.write(_progress(report, settings.algorithm in UNIGRAM_ALGORITHMS))
    result = {
        "vocab_size": report.vocab_size,
        # A unigram model's rounds include the seed's, round 0; in merge algorithms a round is a merge.
        "rounds": report.number + (settings.algorithm in UNIGRAM_ALGORITHMS),
        "objective": report.objective,
        "sha256": training.model().save(options.output),
        "seconds": round(time.perf_counter() - began, 3),
    }
    ordered = {key: result[key] for key in ("vocab_size", "rounds", "objective", "seconds", "sha256")}
    sys.stdout.write(json.dumps(ordered) + "\n" if options.json else _summary(options, ordered))


def corpus_lines(options: argparse.Namespace) -> list[str]:
    """Lines of the corpus; a report of what normalization changes goes to standard error."""
    lines = [line for path in options.corpus for line in read_text(options, path)]
    _report_normalization(lines, options.normalization)
    return lines


def _progress(report: Progress, is_unigram: bool) -> str:
    if is_unigram:
        return (
            f"round {report.number}: {report.vocab_size:,} tokens, objective {report.objective:.4f}, "
            f"{report.n_removed:,} removed\n"
        )
    return f"{report.number:,} merges: {report.vocab_size:,} tokens, {report.n_tokens:,} in the corpus\n"


def _summary(options: argparse.Namespace, result: dict[str, object]) -> str:
    steps = "rounds (the seed's is round 0)" if options.algorithm in UNIGRAM_ALGORITHMS else "merges"
    return (
        f"{options.output}: {result['vocab_size']:,} tokens after {result['rounds']:,} {steps} in "
        f"{result['seconds']} s, objective {result['objective']:,.10g}\nsha256 {result['sha256']}\n"
    )


def _report_normalization(lines: list[str], form: str) -> None:
    if form == "none":
        return
    n_changed, changes = normalization_changes(lines, form)
    sys.stderr.write(f"{form}: {n_changed:,} of {len(lines):,} lines changed\n")
    for change in changes[:5]:
        before, after = (" ".join(f"U+{ord(c):04X}" for c in text[:8]) for text in (change.before, change.after))
        sys.stderr.write(f"  {change.after}: {before} -> {after} ({change.times:,} times)\n")
