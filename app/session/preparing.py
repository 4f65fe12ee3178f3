"""What a page shows instead of something that needs kernels which are still being compiled."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from app.server.work.kernels import KernelsNotReadyError, kernels
from app.texts.i18n import t
from app.texts.plain import plain

_SECONDS = 0.5


@contextmanager
def said_while_preparing() -> Iterator[None]:
    """Replace the rest of the block by a notice if it needs a kernel that is not ready; it runs again by itself."""
    try:
        yield
    except KernelsNotReadyError:
        render_preparing()


def render_preparing(names: str = "") -> None:
    """How far the kernels are, or that they could not be compiled; `names` are of what is still missing on the page."""
    if kernels().failure:
        st.error(t("preparing.failed", reason=plain(kernels().failure)), icon=":material/error:")
    else:
        _follow(kernels().progress, names)


@st.fragment(run_every=_SECONDS)
def _follow(before: tuple[int, int] | None, names: str) -> None:
    progress = kernels().progress
    if progress is None or progress != before:  # perhaps this page has what it needs
        st.rerun()
    st.progress(progress[0] / progress[1], preparing_text(names))


def preparing_text(names: str = "") -> str:
    done, of = kernels().progress or (0, 1)
    what = "preparing.names" if names else "preparing.page"
    return t(what, done=done, of=of, names=names)
