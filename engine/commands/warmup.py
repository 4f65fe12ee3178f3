"""Compile every kernel into the cache, so that nothing waits for a compiler later."""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import config
from engine._jit import kernel_cache, source_stamp
from engine.config import TrainingSettings

if TYPE_CHECKING:
    from engine.unigram.model.model import Model

# What one has compiled, the other finds in the cache.
_PROCESSES = 2

_LINES = ["가나 다라 마바.", "가나 다라 마바사.", "It's 가나 3.14 다라!", "\U0001f600 쀍 a  b"] * 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("--force", action="store_true", help="run all kernels, even if they were compiled before")


def run(options: argparse.Namespace) -> None:
    """Run every kernel once."""
    began = time.perf_counter()
    done = Path(kernel_cache()) / "complete"
    stamp = source_stamp()
    if options.force or not done.exists() or done.read_text() != stamp:
        names = [name for name, _ in _steps()]
        _show(0, len(names), "")
        with ProcessPoolExecutor(_PROCESSES, multiprocessing.get_context("spawn")) as processes:
            under_way = {processes.submit(_run_step, number): name for number, name in enumerate(names)}
            for number, step in enumerate(as_completed(under_way), start=1):
                step.result()
                _show(number, len(names), under_way[step])
        sys.stderr.write("\n")
        done.parent.mkdir(parents=True, exist_ok=True)
        done.write_text(stamp)
    seconds = round(time.perf_counter() - began, 3)
    sys.stdout.write(json.dumps({"seconds": seconds}) + "\n" if options.json else f"kernels ready after {seconds} s\n")


def _show(number: int, of: int, name: str) -> None:
    sys.stderr.write(f"\rcompiling [{'#' * (20 * number // of):<20}] {number}/{of} {name:<28}")
    sys.stderr.flush()


def _run_step(number: int) -> None:
    _steps()[number][1]()


def _steps() -> list[tuple[str, Callable[[], object]]]:
    """What compiles all kernels, a part each: name and call."""
    from engine.corpus.arrays import count_pretokens
    from engine.pretokenization import get_pretokenizer
    from engine.unigram.train.training_corpus import build_corpus

    return [
        ("merges", _merges),
        ("pre-tokenization", lambda: build_corpus(_LINES, TrainingSettings())),
        ("pre-token counts", lambda: count_pretokens(_LINES, get_pretokenizer("gpt2"))),
        ("training", _trained),
        ("boundaries", _boundaries),
        ("BPE", lambda: _merged("bpe", "lexicographic")),
        ("byte-level BPE", lambda: _merged("byte-bpe")),
        ("WordPiece", lambda: _merged("wordpiece")),
        ("long words", _long_words),
        ("likelihood pruning", lambda: _trained(score="ml")),
        ("membership by occurrence", lambda: _trained(membership="occurrence")),
        ("lattices and encoding", _lattices),
        ("other programs' files", _imported),
    ]


def _trained(**changes: Any) -> "Model":
    from engine.unigram.train.trainer import train
    from engine.unigram.train.training_corpus import build_corpus

    settings = TrainingSettings(vocab_size=config.N_BYTES + 4, **changes)
    return train(build_corpus(_LINES, settings), settings)


def _lattices() -> None:
    model = _trained()
    lattice = model.lattice(_LINES[0])
    lattice.nbest(2)
    lattice.sample(1)
    lattice.sample(1, temperature=0.001)  # in logarithms
    lattice.viterbi_steps()
    model.lattice(_LINES[0] * 100).nbest(1)  # beyond the range of floats
    model.encode(_LINES[2])
    model.encode_lines(_LINES)
    model.fewest_tokens(_LINES)


def _merges() -> None:
    from engine.corpus.arrays import Pretokens
    from engine.corpus.pretokens.pretokenize import to_codes
    from engine.merge_settings import MergeSettings
    from engine.merges.trainer import MergeTrainer

    # Of a word that is cut already: the kernels that cut are compiled meanwhile.
    pretokens = Pretokens(to_codes("가나가나 다라"), np.array([0, 7]), np.array([2]))
    list(MergeTrainer(pretokens, MergeSettings(vocab_size=config.N_BYTES + 8)).rounds())


def _merged(algorithm: str, ties: str = "first-seen") -> object:
    from engine.merges.trainer import train_merges

    settings = TrainingSettings(algorithm=algorithm, vocab_size=config.N_BYTES + 8, ties=ties)
    return train_merges(_LINES, settings).encode(_LINES[2])


def _long_words() -> None:
    from engine.merges.trainer import train_merges

    # Merging such a run leaves so many places that their lists are compacted.
    train_merges(["가" * 1000], TrainingSettings(algorithm="byte-bpe", vocab_size=config.N_BYTES + 20))


def _boundaries() -> None:
    from engine.boundaries.learned import LEARNED, learn_pretokenizer
    from engine.segmentation.segmenter import train_inside

    for name in LEARNED:
        learn_pretokenizer(name, _LINES).split(_LINES[0])
    train_inside(_LINES, lambda text: [len(text)], 100)


def _imported() -> None:
    from engine.interop.huggingface.exporter import to_tokenizer_json
    from engine.interop.huggingface.importer import from_tokenizer_json
    from engine.interop.huggingface.vocab_txt import from_vocab_txt
    from engine.interop.sentencepiece.exporter import to_sentencepiece
    from engine.interop.sentencepiece.importer import SentencePieceTokenizer
    from engine.interop.sentencepiece.proto import BPE, UNIGRAM, read_proto
    from engine.public.load import load_public

    model = _trained(sentencepiece_safe=True)
    proto = read_proto(to_sentencepiece(model))
    for algorithm in (UNIGRAM, BPE):
        SentencePieceTokenizer(proto._replace(algorithm=algorithm)).encode(_LINES[2])
    file = to_tokenizer_json(model)
    from_tokenizer_json(file).encode(_LINES[2])
    added = {"id": model.vocab_size, "content": "가나", "normalized": True}
    replace = {"type": "Replace", "pattern": {"String": "가"}, "content": "나다"}
    steps = {"normalizer": replace, "added_tokens": [added]}
    from_tokenizer_json(json.dumps({**json.loads(file), **steps}).encode()).encode(_LINES[0])
    load_public("gpt2").encode(_LINES[2])
    from_vocab_txt(b"[UNK]\n\xea\xb0\x80\n##\xeb\x82\x98\n").encode(_LINES[2])
