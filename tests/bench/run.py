"""`make bench`: ours beside its peers, run by run in turn, every run a process of its own.

Trainings are whole processes, start and file included, after one run of each that warms the caches up; encoding is
the call alone. Memory is the peak of a process above one that imported the same and did nothing. What both programs
made is compared. Options: `--corpus FILE` (default: the reviews in ../shared, or the built-in Korean corpus where that
is absent), `--vocab-size N`, `--runs N`, `--no-slow` (leaves out tokenizers' Unigram, which takes minutes and runs
once, the mixture of registers, the corpus of 60 MB), `--quick` (the same, and every program once: two minutes),
`--growth` (1, 10 and 60 MB). Young peers are measured where `make bench` has
installed them. What is left out for lack of a corpus or a peer is said below the table.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from engine.corpus.pretokens.known_patterns import TIKTOKEN_PATTERNS
from engine.corpus.reading.read import read_lines

ROOT = Path(__file__).resolve().parents[2]

_DATA = ROOT.parent / "shared" / "data"
_SHARED = _DATA / "ko_reviews_10mb.txt"
_MIXTURE = _DATA / "ko_mix"
_BUILT_IN = ROOT / "assets" / "corpora" / "ko"
_PACKAGES = ("numba", "sentencepiece", "tiktoken", "tokenizers", "gigatoken", "fastokens", "gigabpe")
_SENTENCE = "이 영화는 정말 재미있게 봤습니다. 배우들의 연기도 좋았고 이야기도 끝까지 지루할 틈이 없었어요. 추천합니다."


class Run(NamedTuple):
    """One run of one process."""

    seconds: float
    cpu: float  # seconds of the processor, of all threads
    megabytes: float  # peak resident memory
    output: str


def run(command: list[str], **environment: str) -> Run:
    """Run a process to its end; RuntimeError with what it said where it fails."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=err, env={**os.environ, **environment})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {err.read().decode()[-2000:]}")
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000, out.read().decode())


def python(*arguments: str) -> list[str]:
    """Command line of this Python."""
    return [sys.executable, *arguments]


def in_turn(commands: dict[str, list[str]], runs: int, once: tuple[str, ...] = ()) -> dict[str, list[Run]]:
    """Run all commands in turn, `runs` times after one that warms up; those in `once` a single time, cold.

    A single run is for a look at whether all works, and nothing is warmed up for it.
    """
    results: dict[str, list[Run]] = {name: [] for name in commands}
    first = int(runs == 1)
    for number in range(first, runs + 1):
        for name, command in commands.items():
            if name in once:
                if number == runs:
                    results[name].append(run(command))
            else:
                one = run(command)
                if number > 0:
                    results[name].append(one)
    return results


class Table:
    """The rows as they come: work, program, median, range, ratio."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []

    def add(
        self,
        work: str,
        program: str,
        seconds: list[float],
        ours: list[float],
        memory: str = "",
        unit: float = 0,
        cpu: list[float] | None = None,
    ) -> None:
        """A row; with `unit` (megabytes) the figures are megabytes a second."""
        figures = sorted(unit / s for s in seconds) if unit else sorted(seconds)
        kind = "MB/s" if unit else "s"
        middle = statistics.median(figures)
        spread = f"{figures[0]:.2f} to {figures[-1]:.2f}" if len(figures) > 1 else "once"
        ratio = "" if seconds is ours else f"{statistics.median(seconds) / statistics.median(ours):.2f}"
        processor = f"{statistics.median(cpu):.2f} s" if cpu else ""
        self.rows.append([work, program, f"{middle:.2f} {kind}", spread, ratio, processor, memory])
        sys.stdout.write(f"| {' | '.join(self.rows[-1])} |\n")
        sys.stdout.flush()

    def head(self) -> None:
        """The table's head."""
        sys.stdout.write("| work | program | median | range | ours is faster by | CPU | memory above idle |\n")
        sys.stdout.write("|---|---|---|---|---|---|---|\n")
        sys.stdout.flush()


def _train_command(corpus: Path, size: int, output: Path, threads: int, *options: str) -> list[str]:
    return python(
        "-m",
        "engine",
        "train",
        str(corpus),
        "--vocab-size",
        str(size),
        "--output",
        str(output),
        "--threads",
        str(threads),
        "--json",
        *options,
    )


def _peer(work: str, *arguments: str) -> list[str]:
    return python("-m", "tests.bench.peers", work, *arguments)


class Bench:
    """All measurements over one corpus, in a folder of its own."""

    def __init__(self, corpus: Path, folder: Path, size: int, runs: int, threads: int, slow: bool) -> None:
        self.corpus, self.folder, self.size, self.runs, self.threads, self.slow = (
            corpus,
            folder,
            size,
            runs,
            threads,
            slow,
        )
        self.table = Table()
        self.checks: list[str] = []
        idle = run(python("-c", "import engine.cli, engine.unigram.train.trainer, engine.merges.trainer"))
        self.idle = {"ours": idle.megabytes}
        self.idle["tokenizers"] = run(python("-c", "import tests.bench.peers, tokenizers")).megabytes
        self.idle["sentencepiece"] = run(python("-c", "import tests.bench.peers, sentencepiece")).megabytes

    def _rows(self, work: str, results: dict[str, list[Run]], corpus: Path | None = None) -> None:
        ours = [one.seconds for one in next(iter(results.values()))]
        for name, runs in results.items():
            program = name.split()[0]
            above = max(one.megabytes for one in runs) - self.idle.get(program, self.idle["ours"])
            per_byte = above * 1e6 / (corpus or self.corpus).stat().st_size
            seconds = ours if runs is next(iter(results.values())) else [one.seconds for one in runs]
            self.table.add(
                work, name, seconds, ours, f"{above:,.0f} MB ({per_byte:.0f} B a byte)", cpu=[one.cpu for one in runs]
            )

    def unigram(self, pretokenizer: str) -> None:
        """Thunder-Tok, branching entropy included, against the Unigram trainers of the peers."""
        corpus, size = str(self.corpus), str(self.size)
        model = self.folder / "ours"
        ours = _train_command(self.corpus, self.size, model, self.threads, "--pretokenizer", pretokenizer)
        commands = {"ours (Thunder-Tok)": ours}
        if pretokenizer == "thunder-tok":
            output = str(self.folder / "sp")
            commands["sentencepiece unigram"] = _peer("sentencepiece_train", corpus, output, size, str(self.threads))
        if self.slow:
            output = str(self.folder / "hf-unigram.json")
            commands["tokenizers UnigramTrainer"] = _peer("tokenizers_unigram", corpus, output, size, pretokenizer)
        self._rows(f"training, {pretokenizer}", in_turn(commands, self.runs, once=("tokenizers UnigramTrainer",)))

    def bpe(self, pretokenizer: str) -> None:
        """Byte-level BPE; the merges of both must be the same."""
        model, peer = self.folder / "bpe", self.folder / "hf-bpe.json"
        options = ("--algorithm", "byte-bpe", "--pretokenizer", pretokenizer, "--ties", "tokenizers")
        commands = {
            "ours (byte-level BPE)": _train_command(self.corpus, self.size, model, self.threads, *options),
            "tokenizers BpeTrainer": _peer("tokenizers_bpe", str(self.corpus), str(peer), str(self.size), pretokenizer),
        }
        if pretokenizer == "gpt2" and find_spec("gigabpe"):
            output = str(self.folder / "gigabpe.json")
            commands["gigabpe"] = _peer("gigabpe_train", str(self.corpus), output, str(self.size), str(self.threads))
        self._rows(f"BPE training, {pretokenizer}", in_turn(commands, self.runs))
        exported = self.folder / "our-bpe.json"
        run(python("-m", "engine", "export", "--model", str(model), "--to", "hf", "--output", str(exported)))
        ours, theirs = (json.loads(path.read_text(encoding="utf-8"))["model"]["merges"] for path in (exported, peer))
        same = [tuple(pair) for pair in ours] == [tuple(pair) for pair in theirs]
        self.checks.append(f"{len(ours):,} merges, {pretokenizer}: {'identical' if same else 'DIFFERENT'}")

    def character_bpe(self) -> None:
        """BPE over characters of words between spaces; the marks differ, so the merges are not compared."""
        options = ("--algorithm", "bpe", "--pretokenizer", "whitespace")
        output, size = str(self.folder / "sp-bpe"), str(self.size)
        commands = {
            "ours (BPE)": _train_command(self.corpus, self.size, self.folder / "characters", self.threads, *options),
            "sentencepiece bpe": _peer("sentencepiece_train", str(self.corpus), output, size, str(self.threads), "bpe"),
        }
        self._rows("BPE training, characters", in_turn(commands, self.runs))

    def mixture(self, size: int = 32_000) -> None:
        """Thunder-Tok on all registers of the mixture, one after the other."""
        files = sorted(_MIXTURE.glob("*.txt*"))
        if not files:
            self.checks.append(f"left out: training on {_MIXTURE.name}, which is not on this machine")
            return
        corpus = self.folder / "mixture.txt"
        corpus.write_text("\n".join(line for path in files for line in read_lines(path)), encoding="utf-8")
        output = str(self.folder / "sp-mixture")
        commands = {
            "ours (Thunder-Tok)": _train_command(corpus, size, self.folder / "mixture", self.threads),
            "sentencepiece unigram": _peer("sentencepiece_train", str(corpus), output, str(size), str(self.threads)),
        }
        self._rows(f"training, {_MIXTURE.name}, {size:,} tokens", in_turn(commands, self.runs), corpus)

    def long_corpus(self, megabytes: int = 60) -> None:
        """Thunder-Tok on a longer corpus, for its memory."""
        path = self.folder / "long.txt"
        _lengthen(self.corpus.read_text(encoding="utf-8").splitlines(), megabytes, path)
        command = _train_command(path, self.size, self.folder / "long", self.threads)
        self._rows(f"training, {megabytes} MB", {"ours (Thunder-Tok)": [run(command)]}, path)

    def ranks(self, encoding: str) -> None:
        """Encoding by the ranks of one of tiktoken's encodings in one thread; the ids must be the same."""
        if find_spec("splintr") is None:
            self.checks.append(f"left out: encoding beside tiktoken; the package that has {encoding}'s ranks is absent")
            return
        # Gigatoken tells the pattern by the name of the file.
        ranks, corpus = str(self.folder / f"{encoding}_base.tiktoken"), str(self.corpus)
        run(_peer("write_ranks", ranks, encoding))
        peers = [("1", "tiktoken", ()), *((str(n), "gigatoken", (str(n),)) for n in {1, self.threads})]
        peers.append((str(self.threads), "fastokens", (str(self.threads),)))
        for threads, peer, more in peers:
            if find_spec(peer) is None:
                self.checks.append(f"left out: {peer}, which is not installed")
                continue
            own, name = (
                f"ours, {encoding}'s ranks, threads: {threads}",
                f"{peer}, {encoding}'s ranks, threads: {threads}",
            )
            command = _peer(f"{peer}_encode", corpus, ranks, encoding, *more)
            self._encoding(own, name, {own: _peer("our_encode", corpus, ranks, threads, "ids"), name: command})

    def start(self) -> None:
        """One line from a cold process, and all kernels on a fresh machine."""
        line = self.folder / "line.txt"
        line.write_text(_SENTENCE + "\n", encoding="utf-8")
        command = python("-m", "engine", "encode", "--model", str(self.folder / "safe"), str(line))
        results = in_turn({"ours": command}, self.runs)
        seconds = [one.seconds for one in results["ours"]]
        self.table.add("encode of one line, the process", "ours", seconds, seconds)
        with tempfile.TemporaryDirectory() as empty:
            fresh = [run(python("-m", "engine", "warmup"), NUMBA_CACHE_DIR=empty).seconds]
        self.table.add("kernels compiled on a fresh machine", "ours", fresh, fresh)

    def encoding(self) -> None:
        """Encoding with a vocabulary that was exported to both peers; the tokens must be the same."""
        model = self.folder / "safe"
        run(_train_command(self.corpus, self.size, model, self.threads, "--sentencepiece-safe"))
        for target, name in (("sentencepiece", "safe.model"), ("hf", "safe.json")):
            output = str(self.folder / name)
            run(python("-m", "engine", "export", "--model", str(model), "--to", target, "--output", output))
        corpus = str(self.corpus)
        threads = str(self.threads)  # tokenizers takes all there are
        peers = {
            "sentencepiece, 1 thread": ("1", "sizes", "sentencepiece_encode", "safe.model"),
            "tokenizers encode_batch_fast": (threads, "ids", "tokenizers_encode", "safe.json"),
        }
        for name, (number, what, work, file) in peers.items():
            command = _peer(work, corpus, str(self.folder / file))
            own = f"ours, threads: {number}"
            self._encoding(own, name, {own: _peer("our_encode", corpus, str(model), number, what), name: command})

    def _encoding(self, own: str, name: str, commands: dict[str, list[str]]) -> None:
        results = in_turn(commands, self.runs)
        parsed = {key: [json.loads(one.output) for one in runs] for key, runs in results.items()}
        seconds = {key: [one["seconds"] for one in runs] for key, runs in parsed.items()}
        for key in results:
            self.table.add("encoding", key, seconds[key], seconds[own], unit=self.corpus.stat().st_size / 1e6)
        same = len({one["sha256"] for runs in parsed.values() for one in runs}) == 1
        tokens = parsed[own][0]["n_tokens"]
        self.checks.append(f"{tokens:,} tokens beside {name}: {'identical' if same else 'DIFFERENT'}")

    def lattice(self) -> None:
        """The lattice of one sentence, as the page asks for it."""
        results = in_turn({"ours": _peer("our_lattice", str(self.folder / "ours"), _SENTENCE)}, self.runs)
        seconds = [json.loads(one.output)["seconds"] * 1000 for one in results["ours"]]
        sys.stdout.write(
            f"lattice of {len(_SENTENCE)} characters with marginals, entropy and ten best: "
            f"median {statistics.median(seconds):.2f} ms\n"
        )

    def growth(self) -> None:
        """Time and memory over the length of the corpus. Beyond 10 MB, words are shuffled over the lines."""
        base = self.corpus.read_text(encoding="utf-8").splitlines()
        previous = None
        for megabytes in (1, 10, 60):
            path = self.folder / f"{megabytes}mb.txt"
            _lengthen(base, megabytes, path)
            runs = in_turn({"ours": _train_command(path, self.size, self.folder / "grown", self.threads)}, self.runs)
            seconds = statistics.median(one.seconds for one in runs["ours"])
            above = max(one.megabytes for one in runs["ours"]) - self.idle["ours"]
            each = (seconds / megabytes, above / megabytes)
            grown = ""
            if previous is not None:
                grown = f"; a megabyte: time x {each[0] / previous[0]:.2f}, memory x {each[1] / previous[1]:.2f}"
            sys.stdout.write(f"{megabytes} MB: {seconds:.2f} s, {above:,.0f} MB above idle{grown}\n")
            sys.stdout.flush()
            previous = each


def _lengthen(lines: list[str], megabytes: int, path: Path) -> None:
    """The first megabytes of the lines; where they are too short, again with the words of all lines shuffled."""
    size = 0
    seed = 0
    with path.open("w", encoding="utf-8") as file:
        while True:
            for line in lines:
                size += len(line.encode()) + 1
                if size > megabytes * 1_000_000:
                    return
                file.write(line + "\n")
            seed += 1
            words = [word for line in lines for word in line.split()]
            random.Random(seed).shuffle(words)
            rest = iter(words)
            lines = [" ".join(next(rest) for _ in line.split()) for line in lines]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; returns 1 where ours and a peer disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-slow", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args(arguments)
    if options.quick:
        options.runs, options.no_slow = 1, True
    with tempfile.TemporaryDirectory() as folder:
        corpus = options.corpus or _SHARED
        if not corpus.exists():
            corpus = Path(folder) / "corpus.txt"
            text = "".join(path.read_text(encoding="utf-8") for path in sorted(_BUILT_IN.glob("*.txt")))
            corpus.write_text(text, encoding="utf-8")
        packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES if find_spec(name))
        sys.stdout.write(
            f"{_processor()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {packages}\n"
            f"{corpus.name}, {corpus.stat().st_size:,} bytes, {options.vocab_size:,} tokens, "
            f"{options.threads} threads, {options.runs} runs\n\n"
        )
        run(python("-m", "engine", "warmup"))
        bench = Bench(corpus, Path(folder), options.vocab_size, options.runs, options.threads, not options.no_slow)
        bench.table.head()
        for pretokenizer in ("gpt2", "thunder-tok"):
            bench.bpe(pretokenizer)
        bench.character_bpe()
        bench.encoding()
        for encoding in TIKTOKEN_PATTERNS:
            bench.ranks(encoding)
        for pretokenizer in ("gpt2", "thunder-tok"):
            bench.unigram(pretokenizer)
        if not options.no_slow:
            bench.mixture()
            bench.long_corpus()
        bench.start()
        sys.stdout.write("\n" + "\n".join(bench.checks) + "\n")
        bench.lattice()
        if options.growth:
            bench.growth()
    return int(any("DIFFERENT" in check for check in bench.checks))


if __name__ == "__main__":
    sys.exit(main())
