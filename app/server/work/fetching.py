"""Tokenizer files of the hub, downloaded by a worker into their folder."""

from dataclasses import dataclass
from pathlib import Path

from app.server.limits import limits
from app.server.work.work_kinds import FETCHING, Unbounded
from engine.public.hub import hub_folder, hub_key


@dataclass(frozen=True)
class Fetch(Unbounded):
    """A model of the hub whose tokenizer is to be fetched, as work; so far `n_bytes` of `size` are its result."""

    model: str
    kind = FETCHING

    @property
    def key(self) -> str:
        return f"hub-{hub_key(self.model)}"

    def hand_over(self, folder: Path) -> dict[str, object]:
        """The model, the folder for its file, and the maximum size: that of an upload."""
        return {"model": self.model, "folder": str(hub_folder()), "max_bytes": limits().upload_mb * 1_000_000}
