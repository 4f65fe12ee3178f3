"""Tokenizer files of the hub, fetched by a worker into the folder where they are kept."""

from dataclasses import dataclass
from pathlib import Path

from app.server.limits import Limits, limits
from app.server.work.work_kinds import FETCHING
from engine.public.hub import hub_folder, hub_key


@dataclass(frozen=True)
class Fetch:
    """A model of the hub whose tokenizer is to be fetched, as work; so far `n_bytes` of `size` are its result."""

    model: str
    kind = FETCHING

    @property
    def key(self) -> str:
        """Of the model, on the hub of this server."""
        return f"hub-{hub_key(self.model)}"

    def check(self, bounds: Limits) -> None:
        """Every model may be asked for."""

    def hand_over(self, folder: Path) -> dict[str, object]:
        """The model, where its file is to be kept, and how large it may be: as one that is uploaded."""
        return {"model": self.model, "folder": str(hub_folder()), "max_bytes": limits().upload_mb * 1_000_000}

    def clear(self, folder: Path) -> "Fetch":
        """Nothing was put there."""
        return self
