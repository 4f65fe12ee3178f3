"""Compile every kernel into the cache, so that nothing waits for a compiler later."""

import argparse
import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import config
from engine._jit import kernel_cache, source_stamp
from engine.commands.output import show_progress
from engine.config import TrainingSettings, chosen_settings
from engine.machine.atomic_file import locked, write_whole

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
    if options.force or not is_warm():
        _show(0, len(_steps()), "")
        for number, name in enumerate(warm_up(options.force), start=1):
            _show(number, len(_steps()), name)
        sys.stderr.write("\n")
    seconds = round(time.perf_counter() - began, 3)
    sys.stdout.write(json.dumps({"seconds": seconds}) + "\n" if options.json else f"kernels ready after {seconds} s\n")


def _show(number: int, of: int, name: str) -> None:
    show_progress("compiling", number, of, f"{number}/{of} {name}")


def is_warm() -> bool:
    """Whether all kernels have been compiled."""
    stamp = source_stamp()
    return all(_is_made(name, stamp) for name, _ in _steps())


def n_steps() -> int:
    """How many names `warm_up` yields."""
    return len(_steps())


def warm_up(force: bool = False) -> Iterator[str]:
    """Run every step that no process has run; yields the name of each once it is done, whoever did it.

    Raises
    ------
    InputError : the cache cannot be written.
    """
    processes = ProcessPoolExecutor(_PROCESSES, multiprocessing.get_context("spawn"), _end_with_parent)
    try:
        under_way = {processes.submit(_run_step, number, force): name for number, (name, _) in enumerate(_steps())}
        for step in as_completed(under_way):
            step.result()
            yield under_way[step]
    finally:  # without waiting for what is under way
        processes.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """End this process when its parent has ended, however it did."""
    threading.Thread(target=_exit_after_parent, daemon=True).start()


def _exit_after_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _run_step(number: int, force: bool) -> None:
    """Run a step and mark it as done, unless another process has or does."""
    name, run_kernels = _steps()[number]
    mark = _mark(name)
    with locked(mark.with_suffix(".lock")):
        stamp = source_stamp()
        if force or not _is_made(name, stamp):
            run_kernels()
            write_whole(mark, stamp.encode())


def _is_made(name: str, stamp: str) -> bool:
    try:
        return _mark(name).read_text() == stamp
    except (OSError, ValueError):
        return False


def _mark(name: str) -> Path:
    return Path(kernel_cache()) / f"{name}.made"


def _steps() -> list[tuple[str, Callable[[], object]]]:
    """What compiles all kernels, a part each: name and call."""
    from engine.corpus.arrays import count_pretokens
    from engine.pretokenization import get_pretokenizer
    from engine.unigram.train.trainer import build_corpus

    return [
        # What the app shows first.
        ("shipped tokenizers", _shipped),
        ("public tokenizers", _public),
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
        ("neighbour entropy", lambda: _trained(score="neighbour_be", seed_vocabulary="right-branching")),
        ("the authors' program", _authors),
        ("membership by occurrence", lambda: _trained(membership="occurrence")),
        ("lattices and encoding", _lattices),
        ("other programs' files", _imported),
    ]


def _shipped() -> None:
    from engine.shipped.catalogue import load_shipped

    for name in ("thunder-tok-32k", "byte-bpe-32k"):
        load_shipped(name).encode(_LINES[2])


def _public() -> None:
    from engine.public.load import is_available, load_public

    for name in ("cl100k_base", "gpt2"):
        if is_available(name):
            load_public(name).encode(_LINES[2])


def _trained(**changes: Any) -> "Model":
    from engine.unigram.train.trainer import build_corpus, train

    settings = TrainingSettings(vocab_size=config.N_BYTES + 4, **changes)
    return train(build_corpus(_LINES, settings), settings)


def _authors() -> None:
    from engine.training import train

    train(_LINES, chosen_settings("thunder-tok", "authors", vocab_size=config.N_BYTES + 4))


def _lattices() -> None:
    from engine.corpus.reading.decoded import DecodedLines
    from engine.measure.fertility_table import count_lines
    from engine.measure.words import EOJEOL

    model = _trained()
    lattice = model.lattice(_LINES[0])
    lattice.nbest(2)
    lattice.sample(1)
    lattice.sample(1, temperature=0.001)  # in logarithms
    lattice.viterbi_steps()
    model.lattice(_LINES[0] * 100).nbest(1)  # beyond the range of floats
    model.encode(_LINES[2])
    count_lines(model, DecodedLines("\n".join(_LINES).encode()), EOJEOL)


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
    from_vocab_txt(b"[UNK]\n\xea\xb0\x80\n##\xeb\x82\x98\n").encode(_LINES[2])
