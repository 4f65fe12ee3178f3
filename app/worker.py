"""Tasks in a separate process: `python -m app.worker`.

A request is one line of JSON on stdin, events are lines of JSON on stdout:

    {"kind": "training", "cpu_seconds": 7200, "memory_mb": 6000,
     "request": {"paths": [...], "settings": {...}, "output": "..."}}
    -> {"event": "stage", "stage": "read"} | {"event": "feasible", "low": 300, "high": 9000}
       | {"event": "round", "number": 0, ...} | {"event": "result", ...}
       | {"event": "done", "stays": true}    it takes another request
       | {"event": "error", "message": "...", "code": "...", "values": {...}}     the fields of an InputError

With `--warm` it imports what reading needs before it takes a request. With `--patterns` it takes requests of the kind
"matching"; it imports next to nothing, so that it restarts quickly after it had to be killed.

The process ends after a task that failed, took much memory or used a visitor's dictionary, and as soon as its stdin
closes: a worker never outlives the server, however the server died.
"""

import json
import mmap
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from engine.corpus.pretokens.own_pattern import find_here, pattern_allowance
from engine.errors import InputError
from engine.machine.malloc import give_back_holes

if TYPE_CHECKING:
    from engine.config import TrainingSettings
    from engine.tokenizer import Tokenizer
    from engine.training import Training

_PATTERN_NICE, _NICE, _NICEST = 5, 10, 19
_WARM, _PATTERNS = "--warm", "--patterns"
_PATTERN_BYTES = 300_000_000
# For all pretokenization of one training or export, which also have limits of their own.
_PATTERN_SECONDS = 300.0
# A visitor's tokenizer is tried on these: scripts, spaces, characters that no vocabulary contains.
_SAMPLES = (
    "나무에 꽃이 피었다. The quick brown fox, 1,234.5!",
    "漢字とかな \t  éß \U0001f642\U0001d11e \u200d\u1112\u1161\u11ab\x00",
    "가" * 300 + " " * 300,
)
_TRIAL_PATTERN_SECONDS = 5.0
# Characters of a text that repeats one string the tokenizer searches for, and of all such texts together.
_SOUGHT, _ALL_SOUGHT = 500, 20_000
# Columns of /proc/self/statm, and what a worker may occupy between two requests (bytes).
_VIRTUAL, _RESIDENT, _MOST_RESIDENT = 0, 1, 400_000_000
# Between two progress reports of a download.
_REPORT_BYTES = 250_000
_MAX_REMOVED = 10  # tokens reported of a round

Emit = Callable[..., None]


def train(request: dict[str, Any], emit: Emit) -> None:
    """Train, report every step, and write the model file."""
    training = _start(request, emit)
    emit(event="stage", stage="rounds")
    for report in training.rounds():
        fields = {name: _plain(value) for name, value in report._asdict().items()}
        emit(event="round", removed=training.last_removed(_MAX_REMOVED), **fields)
    emit(event="stage", stage="save")
    training.model().save(request["output"])


def probe(request: dict[str, Any], emit: Emit) -> None:
    _start(request, emit)


def _start(request: dict[str, Any], emit: Emit) -> "Training":
    # Imported here, so that the first event is sent before Numba is loaded.
    from engine.training import start_training

    settings, lines = _training_input(request)
    emit(event="stage", stage="seed")
    training = start_training(lines, settings)
    low, high = training.feasible
    emit(event="feasible", low=low, high=high)
    return training


def _training_input(request: dict[str, Any]) -> "tuple[TrainingSettings, list[str]]":
    from engine.config import TrainingSettings
    from engine.corpus.reading.read import read_lines

    settings = TrainingSettings(**request["settings"])
    return settings, [line for path in request["paths"] for line in read_lines(path, "utf-8")]


def resample(request: dict[str, Any], emit: Emit) -> None:
    """Train on resamples of the lines, and write the stability of the vocabulary as JSON."""
    from engine.machine.atomic_file import write_whole
    from engine.measure.stability import N_RESAMPLES, resamples, stability

    settings, lines = _training_input(request)
    emit(event="stage", stage="rounds")
    found = []
    for one in resamples(lines, settings):
        found.append(one)
        emit(event="result", n_done=len(found), n_resamples=N_RESAMPLES)
    made = stability(found)
    write_whole(request["output"], json.dumps(made._replace(kept=made.kept.tolist())._asdict()).encode())


def export(request: dict[str, Any], emit: Emit) -> None:
    """Export a tokenizer to another library's format, checked with that library."""
    from engine.corpus.reading.read import read_lines
    from engine.interop.exports import export_tokenizer
    from engine.machine.atomic_file import write_whole
    from engine.model_files import load_tokenizer

    sample = [line for path in request["sample"] for line in read_lines(path, "utf-8")]
    made = export_tokenizer(load_tokenizer(request["model"]), request["target"], sample, request["profile"])
    write_whole(request["output"], made.data)
    emit(event="result", checked_lines=made.report.checked_lines, checked_with=made.report.library)


def fit(request: dict[str, Any], emit: Emit) -> None:
    """Change a vocabulary, pack its file, measure every text before and after, and cut a line with both.

    The line is the first of those whose number of tokens changes most.
    """
    from app.parts.tables.strips import whole_row
    from engine.corpus.normalize import text_of_spans
    from engine.corpus.reading.read import read_lines
    from engine.fit.changed import change_vocabulary, open_editable, pack
    from engine.fit.seen import changes
    from engine.machine.atomic_file import write_whole

    texts = {name: read_lines(path, "utf-8") for name, path in request["texts"].items()}
    editable, lines = open_editable(request["model"]), next(iter(texts.values()))
    changed = change_vocabulary(editable, lines, renumbers=True, **request["change"])
    write_whole(request["output"], pack(changed, editable.target))
    before, after = editable.tokenizer, changed.tokenizer
    shown = [text_of_spans(line, before.normalization) for line in request["lines"]]
    sentence = max(shown, key=lambda line: abs(len(before.encode(line).ids) - len(after.encode(line).ids)), default="")
    strips = [whole_row(one, sentence) for one in (before, after)]
    emit(event="result", sentence=sentence, strips=strips, **changes(before, changed, texts))


def fetch(request: dict[str, Any], emit: Emit) -> None:
    """Download a tokenizer file from the hub into the folder of the request."""
    from engine.public.hub import fetch_file

    reported = 0

    def report(n_bytes: int, size: int) -> None:
        nonlocal reported
        if n_bytes - reported >= _REPORT_BYTES or n_bytes == size:
            reported = n_bytes
            emit(event="result", n_bytes=n_bytes, size=size)

    fetch_file(request["model"], Path(request["folder"]), request["max_bytes"], report)


def compile_kernels(request: dict[str, Any], emit: Emit) -> None:
    """Compile what no process has compiled, at the lowest priority."""
    from engine.commands.warmup import n_steps, warm_up

    _lower_priority(_NICEST - _NICE)
    for n_done, _ in enumerate(warm_up(), start=1):
        emit(event="result", n_done=n_done, n_steps=n_steps())


def match(request: dict[str, Any], emit: Emit) -> None:
    """Run a visitor's pattern over texts; the result has the seconds that took, even where it is an error."""
    began = time.monotonic()
    matches: list[list[int]] = []
    try:
        with pattern_allowance(request["seconds"], _PATTERN_BYTES):
            matches = [list(bounds) for bounds in find_here(request["pattern"], request["texts"])]
    finally:
        emit(event="result", seconds=time.monotonic() - began, matches=matches)


def read(request: dict[str, Any], emit: Emit) -> None:
    """Read a visitor's file: try out a tokenizer, convert a picture to PDF, write anything else as UTF-8 text."""
    data = Path(request["path"]).read_bytes()
    if request["what"] == "model":
        from engine.model_files import tokenizer_from_bytes

        with pattern_allowance(_TRIAL_PATTERN_SECONDS):
            _try(tokenizer_from_bytes(data))
        return
    if request["what"] == "figure":
        from engine.report.figure import svg_pdf

        Path(request["output"]).write_bytes(svg_pdf(data, request["width"], request["title"]))
        return
    found: dict[str, Any] = {}
    if request["what"] == "parallel":
        from engine.corpus.reading.parallel import open_parallel

        text = json.dumps(open_parallel(data, request["name"], request["max_bytes"]), ensure_ascii=False)
    elif request["what"] == "morphemes":
        text = _analyses(data.decode(), request)
    elif request["what"] == "corpus":
        text, found = _corpus(data, request)
    else:
        from engine.corpus.reading.lines import split_lines
        from engine.corpus.reading.read import decode_bytes
        from engine.segmentation.scoring import read_gold

        text = decode_bytes(data)[0]
        if request["what"] == "gold":
            read_gold(split_lines(text))
    Path(request["output"]).write_bytes(text.encode("utf-8", "surrogatepass"))
    emit(event="result", **found)


def _analyses(text: str, request: dict[str, Any]) -> str:
    """The analyses of a text with a user dictionary, as JSON: lists of morphemes, each with its score."""
    from engine.corpus.morphemes.analysers import best_analyses, text_morphemes
    from engine.corpus.morphemes.morpheme import AnalyserSettings
    from engine.corpus.morphemes.user_dictionary import UserDictionary, UserWord

    settings = AnalyserSettings(UserDictionary.of([UserWord(*word) for word in request["words"]]))
    if request["limit"] == 1:
        return json.dumps([[text_morphemes(text, request["analyser"], settings), 0.0]], ensure_ascii=False)
    return json.dumps(best_analyses(text, request["analyser"], request["limit"], settings), ensure_ascii=False)


def _corpus(data: bytes, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text of files that follow each other in `data`, and everything else that is known of them."""
    from engine.corpus.joined import Reading, join_files

    ends = list(accumulate(request["sizes"]))
    pieces = [data[end - size : end] for size, end in zip(request["sizes"], ends, strict=True)]
    joined = join_files(zip(request["names"], pieces, strict=True), Reading(**request["how"]))
    errors = {name: [error.fields() for error in getattr(joined, name)] for name in ("refused", "odd")}
    files = joined.files
    about = {"names": files.names, "line_ptr": files.line_ptr, "metadata": files.metadata}
    return joined.text, {**joined._asdict(), **errors, "files": about, "text": ""}


def _try(tokenizer: "Tokenizer") -> None:
    """Compute what pages compute first; InputError if the tokenizer exceeds a step, time or memory limit."""
    from engine.corpus.pretokens.own_pattern import USED_UP
    from engine.interop.imported.step_budget import OVERDONE

    texts = [*_SAMPLES, *_sought_texts(tokenizer)]
    works: list[Callable[[], object]] = [partial(_try_on, tokenizer, text) for text in texts]
    works.append(partial(tokenizer.encode_lines, _SAMPLES))
    for work in works:
        try:
            work()
        except InputError as error:
            # A vocabulary may not cover a text; the file is valid nevertheless.
            if error.code in (*USED_UP, *OVERDONE):
                raise


def _sought_texts(tokenizer: "Tokenizer") -> list[str]:
    """Texts made of the strings that the tokenizer searches for: each repeated, and all of them joined."""
    texts = [(text * _SOUGHT)[:_SOUGHT] for text in tokenizer.sought if text][: _ALL_SOUGHT // _SOUGHT]
    return [*texts, "".join(tokenizer.sought)[:_ALL_SOUGHT]]


def _try_on(tokenizer: "Tokenizer", text: str) -> None:
    tokenizer.decode(tokenizer.encode(text).ids)
    if tokenizer.probabilities is not None:
        tokenizer.probabilities.lattice(text).nbest(2)


def _warm_up() -> None:
    """Import what reading a file needs, and load the kernels that `_try` uses."""
    import pyarrow.parquet  # noqa: F401

    from engine.config import TrainingSettings
    from engine.model_files import tokenizer_from_bytes  # noqa: F401
    from engine.training import train as train_here

    _try(train_here(["가나 다라", "가나 마바", "가나 다라 마바"], TrainingSettings(vocab_size=258)))


# Keys as in the server's table, `app.server.work.work_kinds.KINDS`.
KINDS: dict[str, Callable[[dict[str, Any], Emit], None]] = {
    "training": train,
    "probing": probe,
    "resampling": resample,
    "exporting": export,
    "fitting": fit,
    "reading": read,
    "fetching": fetch,
    "compiling": compile_kernels,
    "matching": match,  # asked by `app.server.work.patterns`, without a queue
}


def _plain(value: Any) -> Any:
    """A NumPy scalar as a Python number, for JSON."""
    return value.item() if hasattr(value, "item") else value


def main() -> int:
    """Serve requests."""
    emit = _claim_stdout()
    _mute_native_code()
    if _WARM in sys.argv:  # a visitor will be waiting, so keep the server's priority
        _warm_up()
    else:
        _lower_priority(_PATTERN_NICE if _PATTERNS in sys.argv else _NICE)
    requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_take_requests, args=(requests,), daemon=True).start()
    while True:
        message = requests.get()
        if _PATTERNS not in sys.argv:
            _limit(message["cpu_seconds"], message.get("memory_mb"))
        code = serve(message, emit)
        if code and _PATTERNS not in sys.argv:
            return code


def serve(message: dict[str, Any], emit: Emit) -> int:
    """Do what the request asks for, and report it; returns the exit code, 0 if the process takes another request."""
    emit(event="stage", stage="read")
    try:
        with pattern_allowance(_PATTERN_SECONDS):
            KINDS[message["kind"]](message["request"], emit)
        stays = _may_stay(message["request"])
        emit(event="done", stays=stays)
    except InputError as error:
        emit(event="error", **error.fields())
        return 2
    except MemoryError:
        shortage = InputError("job.memory")
        emit(event="error", **shortage.fields())
        return 3
    except Exception as error:
        # A bug. The log has the place but not the message, which may quote the user's text.
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = type(error).__name__
        sys.stderr.write(f"{message['kind']} failed: {kind} in {Path(place.filename).name}, line {place.lineno}\n")
        defect = InputError("job.defect", kind=kind)
        emit(event="error", **defect.fields())
        return 4
    return 0 if stays else 1


def _claim_stdout() -> Emit:
    """Reserve stdout for events."""
    channel: IO[str] = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)

    def emit(**event: Any) -> None:
        channel.write(json.dumps(event) + "\n")

    return emit


def _mute_native_code() -> None:
    """Leave the log to Python: what native code prints, such as the message of a Rust panic, may quote a visitor."""
    sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _take_requests(requests: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    os._exit(1)


def _lower_priority(by: int) -> None:
    with suppress(AttributeError, OSError):  # Windows has no nice
        os.nice(by)


def _limit(cpu_seconds: int, memory_mb: int | None) -> None:
    """Limit CPU time and memory of a request, not counting what the process has used so far."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        def limit(kind: int, most: int) -> None:
            # The hard limit stays as it is: for its next request the process could not raise it.
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))

        limit(resource.RLIMIT_CPU, int(time.process_time()) + cpu_seconds)
        if memory_mb is not None:
            limit(resource.RLIMIT_AS, _memory(_VIRTUAL) + memory_mb * 1_000_000)


def _memory(column: int) -> int:
    """Bytes of this process; OSError where the system does not tell."""
    return int(Path("/proc/self/statm").read_text().split()[column]) * mmap.PAGESIZE


def _may_stay(request: dict[str, Any]) -> bool:
    """Whether a process that has done its work is no burden, and no visitor's dictionary stays in its analyser."""
    if request.get("what") == "morphemes":
        return False
    give_back_holes()
    with suppress(OSError):
        return _memory(_RESIDENT) <= _MOST_RESIDENT
    return False


if __name__ == "__main__":
    sys.exit(main())
