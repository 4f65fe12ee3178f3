"""The path prefix of the app on its server."""

from streamlit import config


def base_path() -> str:
    """The prefix of every address, set by `server.baseUrlPath`; empty if there is none."""
    path = (config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""
