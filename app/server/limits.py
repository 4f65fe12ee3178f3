"""How much of the server one visitor, and all together, may use. Set by environment variables, read once at start-up.

The defaults suit a class of thirty on a machine with two cores and 4 GB.
"""

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache

from engine.errors import InputError

PREFIX = "THUNDER_TOK_"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Every limit; `corpus_mb` is set by `THUNDER_TOK_MAX_CORPUS_MB`, and so on.

    Parameters
    ----------
    upload_mb : size of an uploaded file on disk (MB: 1,000,000 bytes); a session may have twice as much.
    corpus_mb : size of a text in UTF-8, after unpacking.
    vocab : largest vocabulary to train.
    jobs : trainings that run at the same time.
    jobs_per_visitor : trainings of one visitor, running or queued.
    queued : queued trainings.
    job_seconds : time that a training may run.
    memory_mb : uploads, all visitors' texts, models and their tables in memory; model files on disk may take as much
        again.
    library_mb : size of the run library on disk.
    library_mb_per_owner : saved models and texts of one owner in it.
    """

    upload_mb: int = 50
    corpus_mb: int = 64
    vocab: int = 128_000
    jobs: int = 2
    jobs_per_visitor: int = 8
    queued: int = 40
    job_seconds: int = 1800
    memory_mb: int = 1000
    library_mb: int = 4000
    library_mb_per_owner: int = 400


class LimitError(InputError):
    """A limit was reached. `app.parts.problem` shows it in the visitor's language.

    Parameters
    ----------
    name : a field of Limits.
    value : its setting.
    """

    def __init__(self, name: str, value: int) -> None:
        super().__init__("server.limit", variable=variable(name), value=value)
        self.name, self.value = name, value


def variable(name: str) -> str:
    return f"{PREFIX}MAX_{name.upper()}"


def limits_from(environment: Mapping[str, str]) -> Limits:
    """Limits set by the environment; a value that is no positive integer, or too large, is logged and ignored."""
    values: dict[str, int] = {}
    for limit in fields(Limits):
        text = environment.get(variable(limit.name), "").strip()
        if re.fullmatch("0*[1-9][0-9]{,8}", text):  # what timers take as seconds, too
            values[limit.name] = int(text)
        elif text:
            _log.warning("%s is no whole number from 1 to 999999999; %s is used", variable(limit.name), limit.default)
    return Limits(**values)


def limits() -> Limits:
    return _server_limits()


@cache
def _server_limits() -> Limits:
    return limits_from(os.environ)


def check_size(name: str, n_bytes: int) -> None:
    """Raise LimitError if `n_bytes` exceeds the limit of that name, in MB."""
    value = getattr(limits(), name)
    if n_bytes > value * 1_000_000:
        raise LimitError(name, value)


PROCESSES_VARIABLE = f"{PREFIX}PROCESSES"


def is_one_of_several() -> bool:
    """Whether other processes serve the same visitors from the same library; `app.serve` says so."""
    return os.environ.get(PROCESSES_VARIABLE, "1").strip() not in ("", "1")


PRESET_VARIABLE = f"{PREFIX}PRESET"

# Two shared cores and strangers. Without a library nothing that a visitor brings outlives the visit, and there are no
# rooms; without the hub the server downloads nothing on a visitor's behalf.
PRESETS: Mapping[str, Mapping[str, str]] = {
    "demo": {
        variable("upload_mb"): "5",
        variable("corpus_mb"): "5",
        variable("vocab"): "16000",
        variable("jobs"): "1",
        variable("jobs_per_visitor"): "2",
        variable("queued"): "12",
        variable("job_seconds"): "120",
        f"{PREFIX}LIBRARY": "off",
        f"{PREFIX}HUB": "off",
    }
}


def with_preset(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with the variables of its preset; those that are set are kept. An unknown name is logged."""
    name = environment.get(PRESET_VARIABLE, "").strip()
    if name and name not in PRESETS:
        _log.warning("%s: there is no preset %r, only %s", PRESET_VARIABLE, name, ", ".join(PRESETS))
    return {**PRESETS.get(name, {}), **environment}
