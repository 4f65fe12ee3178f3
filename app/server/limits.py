"""How much of the server one visitor, and all together, may use. Set by environment variables, read once at the start.

The defaults suit a class of thirty on a machine with two cores and 4 GB.
"""

import logging
import os
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
    upload_mb : size of an uploaded file, as it is on the disk (MB: 1,000,000 bytes); a session holds twice as much.
    corpus_mb : size of a text in UTF-8, after unpacking.
    vocab : largest vocabulary that is trained.
    jobs : trainings that run at the same time.
    jobs_per_visitor : trainings of one visitor that run or wait.
    queued : trainings that wait.
    job_seconds : time that a training may run.
    memory_mb : uploads, texts of all visitors, models and their tables in memory; as much again for files of models on
        the disk.
    library_mb : size of the run library on the disk.
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
    """A limit was reached. Pages show it in the visitor's language: `app.parts.problem`.

    Parameters
    ----------
    name : a field of Limits.
    value : what it is set to.
    """

    def __init__(self, name: str, value: int) -> None:
        super().__init__("server.limit", variable=variable(name), value=value)
        self.name, self.value = name, value


def variable(name: str) -> str:
    """The environment variable of a limit."""
    return f"{PREFIX}MAX_{name.upper()}"


def limits_from(environment: Mapping[str, str]) -> Limits:
    """Limits as the environment sets them; a value that is no positive whole number is logged and ignored."""
    values: dict[str, int] = {}
    for limit in fields(Limits):
        text = environment.get(variable(limit.name), "").strip()
        if text.isascii() and text.isdecimal() and int(text) > 0:
            values[limit.name] = int(text)
        elif text:
            _log.warning("%s is no positive whole number; %s is used", variable(limit.name), limit.default)
    return Limits(**values)


def limits() -> Limits:
    """The limits of this server."""
    return _server_limits()


@cache
def _server_limits() -> Limits:
    return limits_from(os.environ)


def check_size(name: str, n_bytes: int) -> None:
    """LimitError where so many bytes are more than the limit of that name, in MB, allows."""
    value = getattr(limits(), name)
    if n_bytes > value * 1_000_000:
        raise LimitError(name, value)
