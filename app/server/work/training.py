"""Trainings, probes for the feasible vocabulary sizes, and trainings on resampled lines, as work."""

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from app.server.limits import LimitError, Limits
from app.server.work.work_kinds import PROBING, RESAMPLING, TRAINING
from app.texts.corpora import Text
from engine.config import TrainingSettings


def model_key(digest: str, settings: TrainingSettings) -> str:
    """Key of a model: a hash of corpus and settings. Training is deterministic: equal keys mean equal models."""
    content = json.dumps([digest, asdict(settings)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Request:
    """Train a model, or (`probe`) only find out the feasible vocabulary sizes."""

    source: Text
    settings: TrainingSettings
    probe: bool = False

    @property
    def kind(self) -> str:
        return PROBING if self.probe else TRAINING

    @property
    def key(self) -> str:
        """Equal requests have equal keys; a training has the key of its model."""
        return ("probe-" if self.probe else "") + model_key(self.source.digest, self.settings)

    def check(self, bounds: Limits) -> None:
        """LimitError if the vocabulary is too large."""
        if self.settings.vocab_size > bounds.vocab and not self.probe:
            raise LimitError("vocab", bounds.vocab)

    def hand_over(self, folder: Path) -> dict[str, object]:
        """Files of the corpus, and the settings; a user's own text is written into the folder."""
        paths = list(self.source.paths)
        if self.source.text is not None:
            paths = [self._file(folder)]
            paths[0].write_text(self.source.text, encoding="utf-8", errors="surrogatepass", newline="")
        return {"paths": [str(path) for path in paths], "settings": asdict(self.settings)}

    def clear(self, folder: Path) -> "Request":
        """Remove the text from the folder; returns the request without it."""
        if self.source.text is None:
            return self
        with suppress(OSError):  # the disk may have become read-only; the next task must still start
            self._file(folder).unlink(missing_ok=True)
        return replace(self, source=replace(self.source, text=None))

    def _file(self, folder: Path) -> Path:
        return folder / f"{self.key}.txt"


@dataclass(frozen=True)
class Resampling(Request):
    """Train on resamples of the lines, and write `engine.measure.stability.Stability` as JSON."""

    @property
    def kind(self) -> str:
        return RESAMPLING

    @property
    def key(self) -> str:
        """Names the output file; equal keys mean equal content."""
        return f"resampled-{model_key(self.source.digest, self.settings)}"
