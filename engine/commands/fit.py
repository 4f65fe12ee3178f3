"""Change a vocabulary: add tokens learned from a text or listed, or remove tokens, and see what it costs.

Works on BPE (tiktoken ranks, public tokenizers, tokenizer.json, trained here) and Unigram (SentencePiece .model,
tokenizer.json; Thunder-Tok and Unigram trained here for SentencePiece become a .model). The file keeps its format; the
library of that format encodes a sample and thousands of fuzz lines with it, and if a line differs nothing is written.
"""

import argparse
import shlex

from engine.commands.corpus_options import add_reading_arguments, read_text
from engine.commands.options import add_model_argument, add_option, add_several, whole_number
from engine.commands.output import Result
from engine.corpus.reading.read import read_lines
from engine.fit.changed import change_vocabulary, open_editable
from engine.fit.id_map import map_bytes, map_ending
from engine.fit.scored import KEEP, SCORES
from engine.fit.seen import CHANGED_COLUMNS, changes
from engine.machine.atomic_file import write_whole

_COLUMNS = ("model", "file", *CHANGED_COLUMNS)
# Tokens, or lines of a list, that a note names.
_MOST_SAID = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    change = parser.add_mutually_exclusive_group(required=True)
    about = "add up to N tokens of --text: BPE goes on from its own merges, Unigram estimates substrings by EM"
    change.add_argument("--extend", type=whole_number(), metavar="N", help=about)
    about = "add the tokens of LIST, a text file with one on each line; one that follows a space begins with it"
    change.add_argument("--add", metavar="LIST", help=about)
    about = "remove tokens until N are left, those least used on --text first, then the latest, or the least probable"
    change.add_argument("--trim", type=whole_number(1), metavar="N", help=about)
    about = "remove the tokens that --text neither uses nor passes through while merging"
    change.add_argument("--trim-unused", action="store_true", help=about)
    add_several(parser, "--text", "FILE", "text files that the vocabulary is to fit")
    add_several(parser, "--other", "FILE", "texts to measure only: what the change costs them")
    add_reading_arguments(parser)
    add_option(
        parser,
        "--min-count",
        2,
        "least count of a merged pair, or of a new token of Unigram",
        type=whole_number(1),
        metavar="C",
    )
    about = "of Unigram, while tokens are learned: keep the old scores, or estimate all of them on --text"
    add_option(parser, "--scores", KEEP, about, choices=SCORES)
    parser.add_argument("--renumber", action="store_true", help="close the gaps in the ids (default: ids stay)")
    about = "write, for every new id, the old ids of its text: a file that ends in .csv or .npz; may be repeated"
    add_several(parser, "--map", "FILE", about)
    parser.add_argument("--output", required=True, metavar="PATH", help="file to write")


def run(options: argparse.Namespace) -> Result:
    """Change, check, write, measure."""
    endings = {path: map_ending(path) for path in options.map}
    editable = open_editable(options.model, options.pattern)
    texts = {path: read_text(options, path) for path in [*options.text, *options.other]}
    lines = [line for path in options.text for line in texts[path]]
    changed = change_vocabulary(
        editable,
        lines,
        extend=options.extend,
        add=None if options.add is None else read_lines(options.add, "utf-8"),
        trim=options.trim,
        trim_unused=options.trim_unused,
        min_count=options.min_count,
        renumbers=options.renumber,
        scores=options.scores,
    )
    write_whole(options.output, changed.data)
    for path, ending in endings.items():
        write_whole(path, map_bytes(ending, changed.id_map, changed.tokenizer))
    found = changes(editable.tokenizer, changed, texts, next(iter(options.other), None))
    left_out = [f"line {error['line']}: {error['message']}" for error in found["left_out"]]
    notes = [
        f"{found['n_added']:,} tokens added, {found['n_removed']:,} removed",
        *([f"{found['n_parts']:,} of them on the way: {_first(found['parts'], ' ')}"] if found["parts"] else []),
        *([f"{len(left_out):,} left out: {_first(left_out, '; ')}"] if left_out else []),
        f"{found['checked_lines']:,} lines checked with {found['checked_with']}",
    ]
    if editable.target == "tiktoken":
        pretokenizer = changed.tokenizer.pretokenizer
        assert pretokenizer is not None  # every tokenizer with ranks has one
        notes.append(f"ranks do not say how text is cut; read them with --pattern {shlex.quote(pretokenizer.name)}")
    if texts:
        notes.append(
            "fertility: tokens / words, interval: 95 % bootstrap over lines; from_best: paired difference from the "
            "lower of the two"
        )
    return Result(_COLUMNS if texts else (), found["rows"], notes, json=found)


def _first(texts: list[str], between: str) -> str:
    return between.join(texts[:_MOST_SAID]) + (" ..." if len(texts) > _MOST_SAID else "")
