"""`make bench`: our trainer and encoder beside their peers, in one run, as whole processes after a warm-up.

Prints a table with the processor, versions, medians and ranges. Takes `--corpus FILE` and `--vocab-size N`; the
default is ../shared/data/ko_reviews_small.txt with 4,000 tokens, or the built-in Korean corpus where that is absent.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SHARED = ROOT.parent / "shared" / "data" / "ko_reviews_small.txt"
_BUILT_IN = ROOT / "assets" / "corpora" / "ko"

_SENTENCEPIECE = """
import sys, sentencepiece
corpus, prefix, size, threads = sys.argv[1:]
sentencepiece.SentencePieceTrainer.train(
    input=corpus, model_prefix=prefix, vocab_size=int(size), model_type="unigram", character_coverage=1.0,
    byte_fallback=True, num_threads=int(threads), minloglevel=2, max_sentence_length=10**6,
    normalization_rule_name="identity", add_dummy_prefix=False,
)
"""

_TOKENIZERS = """
import sys
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers
from engine.corpus.patterns import PATTERNS
corpus, prefix, size, threads = sys.argv[1:]
tokenizer = Tokenizer(models.Unigram())
tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PATTERNS["thunder-tok"]), "isolated")
tokenizer.train([corpus], trainers.UnigramTrainer(vocab_size=int(size), show_progress=False))
tokenizer.save(prefix + ".json")
"""


def _time(command: list[str], runs: int) -> list[float]:
    """Wall seconds of whole processes; the first run warms up and is not counted."""
    seconds = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--vocab-size", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--with-tokenizers", action="store_true", help="slow: once, without a warm-up")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = options.corpus or _SHARED
        if not corpus.exists():
            corpus = Path(folder) / "corpus.txt"
            corpus.write_text("".join(path.read_text(encoding="utf-8") for path in sorted(_BUILT_IN.glob("*.txt"))))
        print(f"{_processor()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
        print(", ".join(f"{name} {version(name)}" for name in ("numba", "sentencepiece", "tokenizers")))
        print(f"{corpus.name}, {corpus.stat().st_size:,} bytes, {options.vocab_size:,} tokens, {options.runs} runs\n")
        size, threads = str(options.vocab_size), str(options.threads)
        model = str(Path(folder) / "model")
        ours = [
            sys.executable, "-m", "engine", "train", str(corpus), "--vocab-size", size, "--output", model,
            "--threads", threads, "--json",
        ]  # fmt: skip
        peer = [sys.executable, "-c", _SENTENCEPIECE, str(corpus), str(Path(folder) / "sp"), size, threads]
        rows: list[tuple[str, Callable[[], list[float]]]] = [
            ("Thunder-Tok, BE included", lambda: _time(ours, options.runs)),
            ("Unigram LM, same trainer", lambda: _time([*ours, "--algorithm", "unigram"], options.runs)),
            ("sentencepiece unigram", lambda: _time(peer, options.runs)),
        ]
        medians = {}
        print(f"{'training':<28}{'median s':>10}{'min':>8}{'max':>8}")
        for name, run in rows:
            seconds = run()
            medians[name] = statistics.median(seconds)
            print(f"{name:<28}{medians[name]:>10.2f}{min(seconds):>8.2f}{max(seconds):>8.2f}")
        if options.with_tokenizers:
            began = time.perf_counter()
            command = [sys.executable, "-c", _TOKENIZERS, str(corpus), str(Path(folder) / "hf"), size, threads]
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
            print(f"{'tokenizers UnigramTrainer':<28}{time.perf_counter() - began:>10.2f}  (once)")
        ratio = medians["sentencepiece unigram"] / medians["Thunder-Tok, BE included"]
        print(f"\nThunder-Tok is {ratio:.2f} times as fast as sentencepiece's unigram trainer")
        print(json.dumps({"medians": medians}))


if __name__ == "__main__":
    main()
