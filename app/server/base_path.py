"""Where the app lies on its server."""

from streamlit import config


def base_path() -> str:
    """What stands in front of every address, as `server.baseUrlPath` sets it; empty for nothing."""
    path = (config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""
