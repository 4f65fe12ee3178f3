"""Time and memory of `train --stream` and `train --dask` as a corpus grows: the table of docs/scale.md.

    python -m tests.load.scale TEXTS SIZE[,SIZE...] [--vocab-size N] [--with stream|local:N] [--kills N [--pause
    SECONDS]]

TEXTS is a folder of packed texts, SIZE megabytes. The corpus is made of the lines of the texts, then of as many more as
it takes: words in the order of the texts, shuffled in windows, over new line ends. So it has the texts' frequent words,
and as many new neighbours of words as one likes.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil

from engine.corpus.reading.read import read_lines

_WINDOW = 64  # words that change their places with each other


def shuffled_lines(lines: list[str], seed: int) -> Iterator[str]:
    """The lines, then for ever new ones of their words."""
    yield from lines
    rng = random.Random(seed)
    words = [word for line in lines for word in line.split()]
    while True:
        start = rng.randrange(len(words))
        part = words[start : start + _WINDOW]
        rng.shuffle(part)
        at = 0
        while at < len(part):
            n = rng.randint(3, 14)
            yield " ".join(part[at : at + n])
            at += n


def write_corpus(lines: list[str], megabytes: float, path: Path) -> None:
    """A corpus of that size from these lines."""
    left = int(megabytes * 1e6)
    with path.open("wb") as file:
        for line in shuffled_lines(lines, 1):
            data = line.encode() + b"\n"
            left -= len(data)
            if left < 0:
                return
            file.write(data)


class Watch:
    """The most anonymous memory (bytes) that each process of a program had at one time."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self.most: dict[int, int] = {}
        self.together = 0
        self.seconds = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def children(self) -> list[psutil.Process]:
        """All processes below it."""
        return list(self._root.children(recursive=True))

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            try:
                processes = [self._root, *self.children()]
            except psutil.NoSuchProcess:
                return
            sizes, cpu = {}, 0.0
            for process in processes:
                try:
                    sizes[process.pid] = anonymous(process.pid)
                    times = process.cpu_times()
                    cpu += times.user + times.system
                except (psutil.NoSuchProcess, OSError):
                    continue
            for pid, size in sizes.items():
                self.most[pid] = max(self.most.get(pid, 0), size)
            self.together = max(self.together, sum(sizes.values()))
            self.seconds = max(self.seconds, cpu)

    def stop(self) -> None:
        """No more looks."""
        self._over.set()
        self._thread.join()


def anonymous(pid: int) -> int:
    """Anonymous memory of a process, bytes."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    return 0


def train(corpus: Path, options: list[str], kills: int = 0, pause: float = 8.0, seed: int = 1) -> dict[str, Any]:
    """One training as a process; `kills` of its workers die at random moments, at most `pause` seconds apart."""
    model = corpus.with_suffix(".tok")
    spool = corpus.with_suffix(".spool")
    files = ["--output", str(model), "--spool", str(spool)]
    command = [sys.executable, "-m", "engine", "train", str(corpus), *files, "--json", *options]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watch = Watch(process.pid)
    with ThreadPoolExecutor(1) as pool:
        killed = pool.submit(kill_workers, process, spool, kills, random.Random(seed), pause)
        out, errors = process.communicate()
    watch.stop()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: {errors[-2000:]}")
    most = sorted(watch.most.values(), reverse=True)
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "cpu_seconds": round(watch.seconds, 1),
        "anonymous_mb": round(watch.together / 1e6),
        "process_mb": [round(size / 1e6) for size in most[:5]],
        "killed": killed.result(),
        "sha256": json.loads(out)["sha256"],
    }


def train_and_kill(corpus: Path, options: list[str], how: list[str], kills: int, pause: float) -> dict[str, Any]:
    """Trainings one after the other until so many workers have died, each compared with one in memory."""
    expected = train(corpus, options)["sha256"]
    killed: list[int] = []
    while True:
        found = train(corpus, [*options, *how], kills - sum(killed), pause, seed=len(killed))
        if found["sha256"] != expected:
            raise SystemExit("a training whose workers died made another model")
        killed.append(found["killed"])
        if sum(killed) >= kills:
            return found | {"killed": killed}


def kill_workers(
    process: "subprocess.Popen[str]", spool: Path, kills: int, rng: random.Random, pause: float = 4.0
) -> int:
    """Kill so many workers of a training, one after the other, once it spools; returns how many there were to kill."""
    killed = 0
    while killed < kills and process.poll() is None:
        time.sleep(rng.uniform(0.5, pause) if list(spool.glob("*/spool")) else 0.1)
        workers = worker_processes(process.pid) if list(spool.glob("*/spool")) else []
        if workers:
            workers[rng.randrange(len(workers))].kill()
            killed += 1
    return killed


def worker_processes(pid: int) -> list[psutil.Process]:
    """Processes of Dask's workers below a training."""
    try:
        children = psutil.Process(pid).children(recursive=True)
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]
    except psutil.Error:
        return []


def main() -> None:
    """Print a line for every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("sizes")
    parser.add_argument("--vocab-size", default="128000")
    parser.add_argument("--with", dest="how", default="stream")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--pause", type=float, default=8.0)
    options = parser.parse_args()
    texts = sorted(options.texts.glob("*.txt.zst"))
    lines = [line for text in texts for line in read_lines(text) if line]
    for size in map(float, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus.txt"
            write_corpus(lines, size, corpus)
            how = {"stream": ["--stream"], "memory": []}.get(options.how, ["--dask", options.how])
            size_of = ["--vocab-size", options.vocab_size]
            if options.kills:
                found = train_and_kill(corpus, size_of, how, options.kills, options.pause)
            else:
                found = train(corpus, [*size_of, *how])
            print(json.dumps({"megabytes": size, "with": options.how, **found}), flush=True)


if __name__ == "__main__":
    main()
