"""A loaded morphological analyser in the one memory budget: Kiwi takes half a gigabyte of the server's process."""

from functools import partial

from app.server.memory import Entry, memory
from app.server.remember import forget
from engine.corpus.morphemes.analysers import ANALYSERS


def loading_name(analyser: str) -> str:
    return f"analyser.{analyser}"


def note_use(analyser: str) -> None:
    """Enter one of ANALYSERS that has just been used; where others need the room, it is unloaded."""
    program = ANALYSERS[analyser]
    if program.is_loaded():
        drop = partial(_unload, analyser)
        memory().use({loading_name(analyser): Entry(program.size, drop, can_return=True, lives=program.is_loaded)})


def _unload(analyser: str) -> None:
    """Free its memory; the next page that asks for it waits for it again."""
    ANALYSERS[analyser].unload()
    forget(loading_name(analyser))
