"""Measures of texts block by block, on workers: every result is stored, so that a run that ended early can go on.

A result is stored under a hash of the block's lines, of what is measured with what, and of the engine. So nothing is
done twice, and nothing is reused of a file that has changed since.
"""

import hashlib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine._jit import engine_hash
from engine.corpus.files import CorpusFiles
from engine.corpus.pretokens.own_pattern import current_allowance, pattern_allowance
from engine.corpus.reading.read import FilePart
from engine.errors import InputError
from engine.machine.atomic_file import write_whole
from engine.machine.malloc import reuse_large_arrays
from engine.machine.threads import usable_threads
from engine.scale.inputs import Block, SurveyedBlock, make_folder, remove_folder, temporary_folder, text_blocks
from engine.scale.workers import Streaming, Workers

# Told what is being done, how much of it is done, how much there is, and in which unit.
Report = Callable[[str, int, int, str], None]

# A function, importable on every machine, of the lines of each part of a block; what follows is as in `measured`.
BlockMeasure = Callable[..., Sequence[np.ndarray]]


class BlockTask(NamedTuple):
    """A measure of one block: what it is given besides the lines, and what tells it from others of the same lines."""

    block: SurveyedBlock
    given: tuple[Any, ...] = ()
    about: str = ""


class StoredResults:
    """The results of tasks, in their order; read from their files whenever they are gone through."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths

    def __iter__(self) -> Iterator[tuple[np.ndarray, ...]]:
        return map(_load, self._paths)

    def arrays(self, k: int) -> Iterator[np.ndarray]:
        """Array k of each result; the others are not read."""
        return (_load(path, slice(k, k + 1))[0] for path in self._paths)


class BlockWorkers:
    """Workers that read files block by block.

    Parameters
    ----------
    workers : on one machine or several, which all reach the files.
    folder : of the results, on this machine.
    report : called as the work goes on.
    """

    def __init__(self, workers: Workers, folder: str, report: Report) -> None:
        self._workers = workers
        self._folder = Path(folder)
        self._report = report
        self._pattern_seconds = current_allowance().left

    def read(
        self, paths: Sequence[str], column: str | None, encoding: str | None, split: Sequence[str]
    ) -> list[SurveyedBlock]:
        """The blocks of all files, in order; InputError if one cannot be read."""
        found: dict[int, list[SurveyedBlock]] = {}
        self._report("reading", 0, len(paths), "files")
        threads = max(1, usable_threads() // max(1, len(paths)))
        for number, blocks in self._workers.completed(text_blocks, paths, column, encoding, tuple(split), threads):
            found[number] = blocks
            self._report("reading", len(found), len(paths), "files")
        return [block for number in range(len(paths)) for block in found[number]]

    def measured(self, measure: BlockMeasure, tasks: Sequence[BlockTask], *shared: Any) -> StoredResults:
        """`measure(lines, *task.given, *shared)` of each task, in order; `shared` is sent to each worker once.

        Raises
        ------
        InputError : a file has changed since it was read, the workers are lost, or a stored result is damaged.
        """
        paths = [self._path(measure, task) for task in tasks]
        every = dict(zip(paths, tasks, strict=True))
        missing = {path: task for path, task in every.items() if not path.exists()}
        n_bytes = sum(task.block.n_bytes for task in every.values())
        done = n_bytes - sum(task.block.n_bytes for task in missing.values())
        self._report("measuring", done, n_bytes, "bytes")
        left = list(missing.items())
        items = [task for _, task in left]
        for number, data in self._workers.completed(_result, items, measure, self._pattern_seconds, *shared):
            path, task = left[number]
            write_whole(path, data)
            done += task.block.n_bytes
            self._report("measuring", done, n_bytes, "bytes")
        return StoredResults(paths)

    def _path(self, measure: BlockMeasure, task: BlockTask) -> Path:
        n_lines = [part.n_lines for part in task.block.parts]
        about = (engine_hash(), measure.__module__, measure.__qualname__, task.block.digest, n_lines, task.about)
        return self._folder / f"{hashlib.sha256(repr(about).encode()).hexdigest()[:40]}.npz"


def _result(task: BlockTask, measure: BlockMeasure, pattern_seconds: float, *shared: Any) -> bytes:
    with pattern_allowance(pattern_seconds):
        arrays = measure(task.block.lines(), *task.given, *shared)
    stored = BytesIO()
    np.savez(stored, *arrays)
    return stored.getvalue()


def _load(path: Path, some: slice = slice(None)) -> tuple[np.ndarray, ...]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            return tuple(data[name] for name in data.files[some])
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        raise InputError("scale.result", path=path) from None


@contextmanager
def block_workers(dask: str | None, folder: str | None, report: Report) -> Iterator[BlockWorkers]:
    """Workers of a Dask scheduler, or of `local:N`, or threads.

    Parameters
    ----------
    dask : see `dask_workers`; None: threads of this process.
    folder : where results are stored; they stay there. None: a temporary folder.

    Raises
    ------
    InputError : as `dask_workers`, or the folder cannot be written.
    """
    from engine.scale.dask_workers import dask_workers

    workers: Workers | None = None
    used = folder or temporary_folder()
    try:
        make_folder(used)
        if dask:
            workers = dask_workers(dask)
        else:
            reuse_large_arrays()
            workers = Streaming(temporary_folder(), usable_threads())
        yield BlockWorkers(workers, used, report)
    finally:
        if workers is not None:
            workers.close()
        if folder is None:
            remove_folder(used)


class BlockCorpus(NamedTuple):
    """A corpus of files in blocks.

    Attributes
    ----------
    blocks : in order.
    files : what the parts of the blocks are, those of a text that was cut together.
    numbers : for every block, of each of its parts, its index in `files`.
    """

    blocks: Sequence[SurveyedBlock]
    files: CorpusFiles
    numbers: Sequence[Sequence[int]]


def file_parts(blocks: Sequence[SurveyedBlock]) -> tuple[list[FilePart], list[list[int]]]:
    """The parts of whole files, as `read_parts` has them, and the `numbers` of a BlockCorpus."""
    parts: list[FilePart] = []
    numbers: list[list[int]] = []
    before: Block | None = None
    for block, own, *_ in blocks:
        if before is not None and block.encoding and (block.path, block.begin) == (before.path, before.end):
            parts[-1] = parts[-1]._replace(n_lines=parts[-1].n_lines + own[0].n_lines)
            numbers.append([len(parts) - 1])
        else:
            numbers.append(list(range(len(parts), len(parts) + len(own))))
            parts += own
        before = block
    return parts, numbers
