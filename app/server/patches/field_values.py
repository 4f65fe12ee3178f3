"""A field that is drawn looks up its own value in the session, not those of all fields.

Streamlit copies the whole session, through the locks and formats of every value, to see whether one of them is None. It
was a tenth of the time that the script of a view takes.

Upstream: https://github.com/streamlit/streamlit/pull/8529, whose last comment measures it.
"""

from collections.abc import Iterator, Mapping

from streamlit.runtime.state.common import is_element_id
from streamlit.runtime.state.safe_session_state import SafeSessionState

RELIES_ON = {
    "streamlit/elements/widgets/text_widgets.py": ("key in session_state and session_state[key] is None",),
    "streamlit/runtime/state/common.py": ("def is_element_id",),
    "streamlit/runtime/state/safe_session_state.py": ("def filtered_state", "_lock", "_state"),
}


def look_up_one_value() -> None:
    """From now on, the values of the session are looked up one by one."""
    SafeSessionState.filtered_state = property(_Values)  # type: ignore[assignment, method-assign]


class _Values(Mapping[str, object]):
    """Values of the session by their keys; what it has is listed only where somebody asks for all."""

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> object:
        if is_element_id(key):
            raise KeyError(key)
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        with self._state._lock:
            return iter(self._state._state.filtered_state)

    def __len__(self) -> int:
        return sum(1 for _ in self)
