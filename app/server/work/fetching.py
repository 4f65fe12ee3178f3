"""Tokenizer files of the hub, downloaded by a worker into their folder."""

from dataclasses import dataclass
from pathlib import Path

from app.server.limits import Limits, limits
from app.server.work.work_kinds import FETCHING
from engine.public.hub import hub_folder, hub_key


@dataclass(frozen=True)
class Fetch:
    """A model of the hub whose tokenizer to download, as work; its result reports `n_bytes` of `size` so far."""

    model: str
    kind = FETCHING

    @property
    def key(self) -> str:
        """Key of the model on this server's hub."""
        return f"hub-{hub_key(self.model)}"

    def check(self, bounds: Limits) -> None:
        """Every model may be requested."""

    def hand_over(self, folder: Path) -> dict[str, object]:
        """The model, the folder for its file, and the maximum size: that of an upload."""
        return {"model": self.model, "folder": str(hub_folder()), "max_bytes": limits().upload_mb * 1_000_000}

    def clear(self, folder: Path) -> "Fetch":
        """There is nothing to clear."""
        return self
