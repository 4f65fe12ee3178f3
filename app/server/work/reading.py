"""Files from visitors, read by a worker before this process opens them.

A worker reads one file. Visitors take turns, as in training.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cachetools import FIFOCache

from app.server.limits import LimitError, limits
from app.server.quarantine import quarantine
from app.server.visitors import Visitor
from app.server.work.jobs import DONE, registry
from app.server.work.kernels import kernels
from app.server.work.work_kinds import READING, Errand
from engine.corpus.files import CorpusFiles
from engine.corpus.joined import JoinedFiles, Reading, ReadTable
from engine.corpus.morphemes.morpheme import Morpheme, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import UserDictionary
from engine.errors import InputError

_QUEUE_SECONDS = 60.0
_MAX_REFUSED = 200
# Errors that the server may have caused, and errors that it did cause.
_ONCE_MORE = ("reading.time", "reading.ended", "reading.memory")
_NOT_THE_FILE = ("reading.busy", "reading.disk")


def _read(request: Mapping[str, object], visitor: Visitor) -> Mapping[str, object]:
    """The result of a worker for a file; visitor : whose file it is.

    Raises
    ------
    InputError : the file is refused; or the worker was stopped, or ended; or too many others are being read.
    """
    try:
        job = registry().run(Errand(READING, request), visitor, _QUEUE_SECONDS)
    except LimitError:
        raise InputError("reading.busy") from None
    if job.state == DONE:
        return job.result
    raise _error(job.error)


def _error(error: InputError | None) -> InputError:
    """Translate errors of jobs that are worded for trainings; None is of one that waited too long."""
    if error is None or isinstance(error, LimitError) or error.code == "job.not_started":
        return InputError("reading.busy")
    if error.code == "job.ended":
        return InputError("reading.ended", number=error.values["number"])
    if error.code == "job.memory":
        return InputError("reading.memory")
    if error.code == "job.defect":
        return InputError("reading.defect", kind=error.values["kind"])
    return error


# Errors of refused model files, by SHA-256: pages request the model of a link in every run.
_refused: FIFOCache[str, list[InputError]] = FIFOCache(_MAX_REFUSED)


def try_model(data: bytes, visitor: Visitor) -> None:
    """Have a worker read a model file and encode with it.

    Raises
    ------
    InputError : it is refused, now or earlier; or it once crashed the server. If only its worker was stopped or ended,
        it gets one more try.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    quarantine().check(sha256)
    errors = _refused.get(sha256, [])
    if errors and (len(errors) > 1 or errors[-1].code not in _ONCE_MORE):
        raise errors[-1].again()
    try:
        _in_worker(data, {"what": "model"}, visitor)
    except InputError as error:
        if error.code not in _NOT_THE_FILE:
            _refused[sha256] = [*errors, error.again()]
        raise
    _refused.pop(sha256, None)


def read_corpus_files(files: Sequence[tuple[str, bytes]], how: Reading, visitor: Visitor) -> JoinedFiles:
    """A corpus from files, as `engine.corpus.joined.join_files` makes it.

    Raises
    ------
    LimitError : the text is too large.
    InputError : see `join_files` and `_read`.
    """
    names, sizes = [name for name, _ in files], [len(data) for _, data in files]
    request = {"what": "corpus", "names": names, "sizes": sizes}
    text, found = _of_limited_size(b"".join(data for _, data in files), request, visitor, how)
    fields: dict[str, Any] = dict(found)
    filed = fields["files"]
    refused, odd = ([InputError.from_fields(error) for error in fields[name]] for name in ("refused", "odd"))
    return JoinedFiles(
        text,
        CorpusFiles(tuple(filed["names"]), tuple(filed["line_ptr"]), filed["metadata"]),
        {name: ReadTable(*values) for name, values in fields["tables"].items()},
        fields["encodings"],
        tuple(refused),
        tuple(odd),
        fields["counts"],
    )


def read_parallel_file(data: bytes, name: str, visitor: Visitor) -> dict[str, list[str]]:
    """Lines by language of a file of parallel texts, as `engine.corpus.reading.parallel.open_parallel` finds them.

    Raises
    ------
    LimitError : the text is too large.
    InputError : see `_read`.
    """
    text, _ = _of_limited_size(data, {"what": "parallel", "name": name}, visitor)
    lines: dict[str, list[str]] = json.loads(text)
    return lines


def analyse_with_dictionary(
    text: str, analyser: str, dictionary: UserDictionary, limit: int, visitor: Visitor
) -> list[ScoredAnalysis]:
    """Up to `limit` analyses of a text, with a visitor's dictionary, by a worker: it loads an analyser of its own.

    With a `limit` of 1 the text may have several lines, and the score is 0.

    Raises
    ------
    InputError : the dictionary is refused, or see `_read`.
    """
    words = [list(word) for word in dictionary.words]
    request = {"what": "morphemes", "analyser": analyser, "words": words, "limit": limit}
    found = json.loads(_in_worker(text.encode(), request, visitor)[0])
    return [ScoredAnalysis([Morpheme(*one) for one in own], score) for own, score in found]


def _of_limited_size(
    data: bytes, request: Mapping[str, object], visitor: Visitor, how: Reading | None = None
) -> tuple[str, Mapping[str, object]]:
    """`_in_worker` for a text that may be as large as a corpus."""
    most = limits().corpus_mb
    bound = {"max_bytes": most * 1_000_000}
    try:
        written, found = _in_worker(data, {**request, **({"how": how._asdict() | bound} if how else bound)}, visitor)
    except InputError as error:
        if error.code in ("file.large", "file.large_column"):
            raise LimitError("corpus_mb", most) from None
        raise
    return _text(written), found


def read_text_file(data: bytes, visitor: Visitor, is_gold: bool = False) -> str:
    return _text(_in_worker(data, {"what": "gold" if is_gold else "text"}, visitor)[0])


def figure_pdf(svg: bytes, width_mm: float, title: str, visitor: Visitor) -> bytes:
    """A picture of a visitor as PDF; InputError as in `_read`."""
    return _in_worker(svg, {"what": "figure", "width": width_mm, "title": title}, visitor)[0]


def _text(written: bytes) -> str:
    return written.decode("utf-8", "surrogatepass")


def _in_worker(data: bytes, request: Mapping[str, object], visitor: Visitor) -> tuple[bytes, Mapping[str, object]]:
    """What a worker wrote, and the rest of its result."""
    kernels().check()  # else the worker would compile them first
    try:
        with tempfile.TemporaryDirectory(prefix="reading-", dir=registry().folder) as folder:
            path, output = Path(folder) / "file", Path(folder) / "text"
            path.write_bytes(data)
            found = _read({**request, "path": str(path), "output": str(output)}, visitor)
            written = output.read_bytes() if output.exists() else b""
    except OSError as error:
        raise InputError("reading.disk", detail=error.strerror or type(error).__name__) from None
    return written, found
