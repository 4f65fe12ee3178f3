"""One piece of work in a process of its own: `python -m app.worker`.

The request is one line of JSON on stdin, events are lines of JSON on stdout:

    {"kind": "training", "cpu_seconds": 7200, "request": {"paths": [...], "settings": {...}, "output": "..."}}
    -> {"event": "stage", "stage": "read"} | {"event": "feasible", "low": 300, "high": 9000}
       | {"event": "round", "number": 0, ...} | {"event": "result", ...} | {"event": "done"}
       | {"event": "error", "message": "...", "code": "...", "values": {...}}     as of an InputError

The process ends as soon as its stdin closes: a worker never outlives the server, however that one died.
"""

import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.training import Training

_NICE = 10

Emit = Callable[..., None]


def train(request: dict[str, Any], emit: Emit) -> None:
    """Train as the request says, write the model file, and tell of every step."""
    training = _begun(request, emit)
    emit(event="stage", stage="rounds")
    for report in training.rounds():
        emit(event="round", **{name: _plain(value) for name, value in report._asdict().items()})
    emit(event="stage", stage="save")
    training.model().save(request["output"])


def probe(request: dict[str, Any], emit: Emit) -> None:
    """Find out which vocabulary sizes are feasible."""
    _begun(request, emit)


def _begun(request: dict[str, Any], emit: Emit) -> "Training":
    """The training, with its seed vocabulary."""
    # Imported here: the first event then leaves the process before Numba is loaded.
    from engine.config import TrainingSettings
    from engine.corpus.read import read_lines
    from engine.training import start_training

    fields = request["settings"]
    settings = TrainingSettings(**{**fields, "special_tokens": tuple(fields["special_tokens"])})
    lines = [line for path in request["paths"] for line in read_lines(path, "utf-8")]
    emit(event="stage", stage="seed")
    training = start_training(lines, settings)
    low, high = training.feasible
    emit(event="feasible", low=low, high=high)
    return training


def export(request: dict[str, Any], emit: Emit) -> None:
    """Write a tokenizer as a file of another program, checked by that program's library."""
    from engine.corpus.read import read_lines
    from engine.interop.exports import export_tokenizer
    from engine.model_files import load_tokenizer
    from engine.whole_file import write_whole

    sample = [line for path in request["sample"] for line in read_lines(path, "utf-8")]
    made = export_tokenizer(load_tokenizer(request["model"]), request["target"], sample, request["profile"])
    write_whole(request["output"], made.data)
    emit(event="result", checked_lines=made.report.checked_lines, checked_with=made.report.library)


# By kind of the server's table, `app.server.work.KINDS`.
KINDS: dict[str, Callable[[dict[str, Any], Emit], None]] = {"training": train, "probing": probe, "exporting": export}


def _plain(value: Any) -> Any:
    """A NumPy scalar as Python's own number; JSON knows no other."""
    return value.item() if hasattr(value, "item") else value


def main() -> int:
    """Serve one request."""
    from engine.errors import InputError

    emit = _claim_stdout()
    message = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    _step_back(message["cpu_seconds"])
    emit(event="stage", stage="read")
    try:
        KINDS[message["kind"]](message["request"], emit)
        emit(event="done")
    except InputError as error:
        emit(event="error", **error.fields())
        return 2
    except MemoryError:
        shortage = InputError(
            "there was not enough memory; train on less text or with a smaller seed vocabulary", code="job.memory"
        )
        emit(event="error", **shortage.fields())
        return 3
    except Exception as error:
        # Our fault. The log says where, but not the message: it may quote the user's text.
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = type(error).__name__
        sys.stderr.write(f"{message['kind']} failed: {kind} in {Path(place.filename).name}, line {place.lineno}\n")
        defect = InputError(
            "an error in the program ({kind}); other settings or another text may work", code="job.defect", kind=kind
        )
        emit(event="error", **defect.fields())
        return 4
    return 0


def _claim_stdout() -> Emit:
    """Keep stdout for events; whatever else is printed goes to stderr."""
    channel: IO[str] = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def emit(**event: Any) -> None:
        channel.write(json.dumps(event) + "\n")

    return emit


def _end_with_stdin() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(1)


def _step_back(cpu_seconds: int) -> None:
    """Leave the processor to the server, and never run for ever."""
    with suppress(AttributeError, OSError):  # Windows has no nice
        os.nice(_NICE)
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))


if __name__ == "__main__":
    sys.exit(main())
