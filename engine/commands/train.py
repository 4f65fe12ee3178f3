"""Train a vocabulary and write its model file.

Progress goes to standard error.
"""

import argparse
import json
import os
import sys
import time
from dataclasses import replace

from engine import config
from engine.config import RECIPES, UNIGRAM_ALGORITHMS, TrainingSettings, defaults_of
from engine.corpus.normalize import normalization_changes
from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.tiktoken_patterns import TIKTOKEN_PATTERNS
from engine.corpus.reading.read import read_corpus
from engine.errors import InputError
from engine.pretokenization import MECAB
from engine.training import Progress, Training, start_training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_settings_arguments(parser)
    parser.add_argument("--output", required=True, metavar="MODEL", help="model file to write")


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    """The corpus, and all training settings."""
    defaults = TrainingSettings()
    parser.add_argument(
        "corpus",
        nargs="+",
        metavar="CORPUS",
        help="text files, one sentence a line, or tables (.csv, .tsv, .jsonl, .parquet); also packed (.gz, .zst)",
    )
    parser.add_argument("--column", metavar="NAME", help="column of the text, where CORPUS is a table of several")
    parser.add_argument(
        "--algorithm",
        choices=config.ALGORITHMS,
        default=defaults.algorithm,
        help="what to train (default: %(default)s)",
    )
    parser.add_argument(
        "--vocab-size",
        type=int,
        required=True,
        metavar="N",
        help="tokens in the end, special ones and the 256 bytes included",
    )
    parser.add_argument(
        "--preset",
        choices=tuple(RECIPES),
        help="score, seed vocabulary and pre-tokenizer by one name, each of which an option of its own overrides: "
        f"thunder-tok as it is printed, or fewest-tokens (default: {next(iter(RECIPES))})",
    )
    parser.add_argument(
        "--pretokenizer",
        metavar="NAME|REGEX",
        help=f"what no token crosses: {', '.join((*PRESETS, *TIKTOKEN_PATTERNS))}, {MECAB}, "
        "boundaries learned from the corpus (pmi-entropy, pmi-entropy:LAMBDA, entropy-only, "
        f"lm-entropy, lm-entropy:ORDER) or a regular expression (default: {defaults.pretokenizer})",
    )
    parser.add_argument("--score", choices=config.SCORES, help="what a round prunes by (default: be_p; ml for unigram)")
    parser.add_argument(
        "--seed-vocabulary",
        choices=config.SEED_VOCABULARIES,
        help="candidates to begin with (default: linguistic; ngrams for unigram)",
    )
    parser.add_argument(
        "--seed-factor",
        type=float,
        default=defaults.seed_factor,
        metavar="F",
        help="tokens of BPE in the seed vocabulary bpe, in vocabulary sizes (default: %(default)g)",
    )
    for name, choices, purpose in (
        ("context", config.CONTEXTS, "what a context y of the branching entropy is"),
        ("membership", config.MEMBERSHIPS, "what P(x|y) is"),
        ("ties", config.TIES, "which of several equal pairs BPE and WordPiece merge first"),
        ("normalization", config.NORMALIZATIONS, "Unicode normal form of the text, or jamo: Hangul letter by letter"),
    ):
        parser.add_argument(
            f"--{name}", choices=choices, default=getattr(defaults, name), help=f"{purpose} (default: %(default)s)"
        )
    parser.add_argument("--sentencepiece-safe", action="store_true", help="make an exact SentencePiece export possible")
    parser.add_argument("--partial-characters", action="store_true", help="let runs of bytes in a character be tokens")
    parser.add_argument(
        "--shrink",
        type=float,
        default=defaults.shrink,
        metavar="M",
        help="share to remove a round (default: %(default)s)",
    )
    for name, metavar, purpose in (
        ("sub-iterations", "K", "E steps a round"),
        ("min-count", "C", "occurrences that a candidate needs, of WordPiece a pair"),
        ("max-token-bytes", "B", "length of the longest token in UTF-8 bytes"),
        ("max-seed", "S", "tokens of the seed vocabulary at most"),
    ):
        value = getattr(defaults, name.replace("-", "_"))
        parser.add_argument(
            f"--{name}", type=int, default=value, metavar=metavar, help=f"{purpose} (default: %(default)s)"
        )
    parser.add_argument(
        "--special-token",
        action="append",
        default=[],
        metavar="TEXT",
        help="token with an id of its own; may be repeated",
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
    parser.add_argument(
        "--threads", type=int, default=min(8, os.cpu_count() or 1), metavar="T", help="threads (default: %(default)s)"
    )


def settings_of(options: argparse.Namespace) -> TrainingSettings:
    """The settings given by the options."""
    if options.preset and options.algorithm != TrainingSettings.algorithm:
        raise InputError("preset.algorithm", known=TrainingSettings.algorithm, algorithm=options.algorithm)
    defaults = replace(defaults_of(options.algorithm), **RECIPES.get(options.preset, {}))
    return TrainingSettings(
        algorithm=options.algorithm,
        vocab_size=options.vocab_size,
        pretokenizer=defaults.pretokenizer if options.pretokenizer is None else options.pretokenizer,
        score=options.score or defaults.score,
        seed_vocabulary=options.seed_vocabulary or defaults.seed_vocabulary,
        seed_factor=options.seed_factor,
        context=options.context,
        membership=options.membership,
        shrink=options.shrink,
        sub_iterations=options.sub_iterations,
        min_count=options.min_count,
        max_token_bytes=options.max_token_bytes,
        max_seed=options.max_seed,
        special_tokens=tuple(options.special_token),
        normalization=options.normalization,
        sentencepiece_safe=options.sentencepiece_safe,
        partial_characters=options.partial_characters,
        ties=options.ties,
    )


def run(options: argparse.Namespace) -> None:
    """Train and save."""
    settings = settings_of(options)
    if not (options.stream or options.dask):
        began = time.perf_counter()
        _train(options, settings, start_training(corpus_lines(options), settings, options.threads), began)
        return
    from engine.scale.training import scaled_training

    began = time.perf_counter()
    try:
        with scaled_training(
            options.corpus,
            settings,
            column=options.column,
            dask=options.dask,
            spool=options.spool,
            threads=options.threads,
        ) as training:
            _train(options, settings, training, began)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing was written\n")
        sys.stderr.flush()
        if options.stream:
            os._exit(130)  # without waiting for running threads
        raise SystemExit(130) from None


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
    lines = [line for path in options.corpus for line in read_corpus(path, column=options.column)]
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
