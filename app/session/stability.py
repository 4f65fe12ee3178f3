"""What resamples of a model's training text keep of it: the result of a worker, or the job that makes it."""

import json
from contextlib import suppress

import streamlit as st

from app.server.work.jobs import registry
from app.server.work.training import Resampling
from app.session import state
from app.session.models import ActiveModel
from engine.measure.stability import Stability


def resampling_of(active: ActiveModel) -> Resampling | None:
    """The work for a model; None where its text is not here."""
    return None if active.source is None else Resampling(active.source, active.model.settings)


def found_stability(active: ActiveModel) -> Stability | None:
    """The result, where a worker has made it on this server; whoever asked."""
    asked = resampling_of(active)
    path = asked and registry().models.find(asked.key)
    if not path:
        return None
    with suppress(OSError, ValueError, TypeError):  # cleaned up among temporary files
        found = Stability(**json.loads(path.read_text()))
        # A model of another version of the program has other ids.
        return found if len(found.kept) == active.model.vocab_size else None
    return None


def is_resampling_begun(asked: Resampling) -> bool:
    """Whether the visitor has begun it."""
    return asked.key in st.session_state.get(state.RESAMPLED, ())


def begin_resampling(asked: Resampling) -> None:
    """From the next run on; for callbacks."""
    st.session_state.setdefault(state.RESAMPLED, set()).add(asked.key)
