"""How stable a model's vocabulary is under resampling of its training text: a worker's result, or its job."""

import json
from contextlib import suppress

import streamlit as st

from app.server.work.jobs import registry
from app.server.work.training import Resampling
from app.session import state
from app.session.models import ActiveModel
from engine.measure.stability import Stability


def resampling_of(active: ActiveModel) -> Resampling | None:
    """The work for a model; None if its text is not available."""
    return None if active.source is None else Resampling(active.source, active.model.settings)


def found_stability(active: ActiveModel) -> Stability | None:
    """The result, if any visitor had it computed on this server."""
    asked = resampling_of(active)
    path = asked and registry().models.find(asked.key)
    if not path:
        return None
    with suppress(OSError, ValueError, TypeError):  # removed by a clean-up of temporary files
        found = Stability(**json.loads(path.read_text()))
        # Another version of the program may give the model other ids.
        return found if len(found.kept) == active.model.vocab_size else None
    return None


def is_resampling_begun(asked: Resampling) -> bool:
    return asked.key in st.session_state.get(state.RESAMPLED, ())


def begin_resampling(asked: Resampling) -> None:
    st.session_state.setdefault(state.RESAMPLED, set()).add(asked.key)
