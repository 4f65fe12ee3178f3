"""Cut text without spaces into words: a line out for each line in, two spaces between words.

With --gold, score the result instead: word level as in the SIGHAN bakeoff, and boundary level.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from engine.boundaries.language_model import DEFAULT_ORDER, DEFAULT_RULE, RULES, entropy_cuts
from engine.boundaries.utility import DEFAULT_LAMBDA, DEFAULT_TOTAL, TOTALS
from engine.commands.options import add_option
from engine.commands.output import Result
from engine.corpus.reading.read import read_lines
from engine.errors import InputError
from engine.segmentation.scoring import Scores, read_gold, score_segmentation
from engine.segmentation.segmenter import METHODS, Cutter, cut_texts, learn_boundaries, read_training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument(
        "file", metavar="FILE", help="text to cut, white space between its words taken out; GOLD may be cut itself"
    )
    add_option(parser, "--method", METHODS[0], "how to find boundaries", choices=METHODS)
    add_option(parser, "--lambda", DEFAULT_LAMBDA, "weight of the entropy", metavar="L")
    add_option(parser, "--total", DEFAULT_TOTAL, "what T of the PMI counts", choices=TOTALS)
    parser.add_argument("--no-edges", action="store_true", help="do not count the edge of a sentence as a neighbour")
    add_option(parser, "--order", DEFAULT_ORDER, "characters of the n-grams of lm-entropy", metavar="N")
    add_option(parser, "--rule", DEFAULT_RULE, "where lm-entropy cuts", choices=RULES)
    parser.add_argument(
        "--lm", metavar="NAME", help="causal model of transformers for lm-entropy: a local folder or an id on the hub"
    )
    parser.add_argument("--train", metavar="FILE", help="text to learn boundaries on (default: FILE itself)")
    parser.add_argument(
        "--bpe-vocab-size", type=int, metavar="N", help="train BPE inside the boundaries, of at most N tokens"
    )
    ways = ("pretokenize", "bpe-only")
    add_option(parser, "--at-inference", ways[0], "cut the text first, or merge it only", choices=ways)
    parser.add_argument("--gold", metavar="GOLD", help="the same lines with their words, or a file of morphemes: score")


def run(options: argparse.Namespace) -> Result | None:
    """Cut, print or score."""
    gold = [] if options.gold is None else [own for own in read_gold(read_lines(options.gold)).words if own]
    if options.file == options.gold:
        lines: Sequence[str] = ["".join(own) for own in gold]
    else:
        lines = read_training(read_lines(options.file)).lines
    train, known = (lines, frozenset()) if options.train is None else read_training(read_lines(options.train))
    cut = _cutter(options, train)
    words, vocab_size = cut_texts(lines, cut, train, options.bpe_vocab_size, options.at_inference == "pretokenize")
    if vocab_size is not None:
        sys.stderr.write(f"BPE inside the boundaries: {vocab_size:,} tokens\n")
    if options.gold is None:
        _print(lines, words, options.json)
        return None
    return _scored(score_segmentation(gold, [own for own in words if own], known), vocab_size)


def _cutter(options: argparse.Namespace, train: Sequence[str]) -> Cutter:
    if options.lm is None:
        lam, edges = getattr(options, "lambda"), not options.no_edges
        return learn_boundaries(options.method, train, lam, options.total, edges, options.order, options.rule)
    if options.method != "lm-entropy":
        raise InputError("segment.lm", method=options.method)
    from engine.boundaries.transformers_lm import load_causal_model

    model = load_causal_model(options.lm)
    return lambda text: entropy_cuts(model.entropies(text), options.rule)


def _print(lines: Sequence[str], words: list[list[str]], as_json: bool) -> None:
    for line, own in zip(lines, words, strict=True):
        if "".join(own) != line:
            raise InputError("segment.defect")
        sys.stdout.write((json.dumps({"words": own}, ensure_ascii=False) if as_json else "  ".join(own)) + "\n")


def _scored(scores: Scores, vocab_size: int | None) -> Result:
    values = {name: None if value != value else value for name, value in scores._asdict().items()}
    lines = [
        f"words       P {scores.precision:.4f}  R {scores.recall:.4f}  F1 {scores.f1:.4f}  ({scores.n_words:,} gold)",
        f"boundaries  P {scores.boundary_precision:.4f}  R {scores.boundary_recall:.4f}  F1 {scores.boundary_f1:.4f}",
    ]
    if scores.n_oov:
        lines.append(f"words not in the training text: recall {scores.oov_recall:.4f} ({scores.n_oov:,})")
    return Result(lines=lines, json=values | ({} if vocab_size is None else {"vocab_size": vocab_size}))
