"""A log that quotes nobody: of an error it keeps the kind and the place.

The message of an error often quotes what it stumbled over, which may be a visitor's text. That concerns the errors that
Streamlit logs, too: those of a page that nobody caught.
"""

import logging
import traceback
from typing import Any


def quote_nobody() -> None:
    """Leave the messages of errors out of every log of this process from now on."""
    logging.setLogRecordFactory(_record)


def _record(*args: Any, **options: Any) -> logging.LogRecord:
    record = logging.LogRecord(*args, **options)
    if record.exc_info and record.exc_info[1] is not None:
        record.exc_text = _places(record.exc_info[1])
        record.exc_info = None
    return record


def _places(error: BaseException) -> str:
    """The traceback of an error, and of those that led to it, the first one on top."""
    chain: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in chain:
        chain.append(step)
        step = step.__cause__ or (None if step.__suppress_context__ else step.__context__)
    parts = ["".join(traceback.format_tb(each.__traceback__)) + type(each).__name__ for each in reversed(chain)]
    return "\nwhich led to\n".join(parts)
