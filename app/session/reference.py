"""A model as one word that fits in a URL: its corpus, and every setting that differs from the default.

    ko                                      the built-in Korean corpus, default settings
    ko.news.essay~vocab_size-8000~score-ml  two of its registers, 8,000 tokens, pruned by likelihood loss
    text.3f0c...~vocab_size-2000            a visitor's own text
    file.9c41...                            a model file that somebody loaded
    run.Jx0_...                             a run in the library
    public:o200k_base                       the tokenizer of a public model
    shipped:thunder-tok-32k                 a model shipped with the program

Training is deterministic: a reference to a built-in corpus means the same model on every server.
"""

import json
import logging
import os
from dataclasses import dataclass, fields
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

from app.server.work.training import model_key
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.public.catalogue import PUBLIC, find_public
from engine.shipped.catalogue import SHIPPED, shipped_models

# Trained by default: small enough to take a second, large enough to contain words and phrases.
DEFAULT_SETTINGS = TrainingSettings(vocab_size=2000)
DEFAULT_SOURCE = "ko"

# The model of a first visit; a server may set another one, written as in a link.
FIRST_MODEL = "THUNDER_TOK_MODEL"
_FIRST = SHIPPED + "thunder-tok-32k"

FILE, RUN = "file", "run"

# Longer references are invalid: the longest text in a setting is a regular expression.
_MAX_LENGTH = 2000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelReference:
    """A model: `source_id` as in `app.texts.corpora.Text.id`, and its training settings.

    Or `file.<hash>`, `run.<id>`, `public:<name>` or `shipped:<name>`, without settings.
    """

    source_id: str = DEFAULT_SOURCE
    settings: TrainingSettings = DEFAULT_SETTINGS

    @property
    def is_file(self) -> bool:
        return self.source_id.startswith(FILE + ".") or self.is_run or self.is_named

    @property
    def is_named(self) -> bool:
        """Whether it needs no file on this server: it is shipped with the program or in a package."""
        return self.is_public or self.is_shipped

    @property
    def is_shipped(self) -> bool:
        return self.source_id.startswith(SHIPPED)

    @property
    def is_public(self) -> bool:
        return self.source_id.startswith(PUBLIC)

    @property
    def is_run(self) -> bool:
        return self.source_id.startswith(RUN + ".")

    @property
    def run_id(self) -> str:
        return self.source_id.partition(".")[2]

    def key(self, digest: str) -> str:
        return self.source_id if self.is_file else model_key(digest, self.settings)

    def __str__(self) -> str:
        parts = [self.source_id]
        if not self.is_file:
            for setting in fields(TrainingSettings):
                value = getattr(self.settings, setting.name)
                if value != getattr(DEFAULT_SETTINGS, setting.name):
                    parts.append(f"{setting.name}-{_quote(value)}")
        return "~".join(parts)


@cache
def first_reference() -> ModelReference:
    """The model of a first visit, and of a link without a model."""
    word = os.environ.get(FIRST_MODEL, "").strip() or _FIRST
    reference = parse_reference(word)
    if reference is None:
        _log.warning("%s is no model of a link; %s is used", FIRST_MODEL, _FIRST)
    return reference or ModelReference(_FIRST)


def parse_reference(word: str) -> ModelReference | None:
    """Parse what `str()` wrote; None for anything else, e.g. a link that was truncated or typed by hand."""
    if len(word) > _MAX_LENGTH:
        return None
    source_id, *parts = word.split("~")
    if source_id.startswith(PUBLIC) and not parts:
        try:
            return ModelReference(find_public(source_id.removeprefix(PUBLIC)).reference)
        except InputError:
            return None
    if source_id.startswith(SHIPPED) and not parts:
        return ModelReference(source_id) if source_id.removeprefix(SHIPPED) in shipped_models() else None
    if not source_id or not all(c.isalnum() or c in "._-" for c in source_id):
        return None
    values: dict[str, Any] = vars(DEFAULT_SETTINGS).copy()
    try:
        for part in parts:
            name, _, value = part.partition("-")
            text = unquote(value, errors="strict")
            values[name] = text if isinstance(getattr(DEFAULT_SETTINGS, name), str) else json.loads(text)
        return ModelReference(source_id, TrainingSettings(**values))
    except (AttributeError, ValueError, TypeError, RecursionError):
        return None


def _quote(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # quote() leaves ~ alone, which is the separator here.
    return quote(text, safe="").replace("~", "%7E")
