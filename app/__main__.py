"""`python -m app`, or `thunder-tok-app`: start the server.

Arguments are passed on to `streamlit run`: `python -m app --server.port=8080`.
"""

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from app.server.http.port import check_port
from app.server.limits import variable
from app.server.preset import with_preset
from app.server.visitors import server_environment
from engine.error_texts import locale_language
from engine.errors import InputError

# What the app imports and the engine does not, by its names there.
PACKAGES = ("anyio", "cachetools", "plotly", "resvg_py", "segno", "starlette", "streamlit", "uvicorn", "websockets")


def main() -> None:
    """Replace this process by the server, so that signals reach it."""
    environment = with_preset(os.environ)
    try:
        require_packages()
        check_port(sys.argv[1:], environment)
    except InputError as error:
        sys.stderr.write(f"{error.text(locale_language())}\n")
        sys.exit(2)
    arguments = [sys.executable, "-m", *server_arguments(environment), *sys.argv[1:]]
    os.execve(sys.executable, arguments, server_environment(environment))


def require_packages() -> None:
    """Raise InputError if the package was installed without its extra `app`."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError("app.missing", packages=", ".join(missing))


def server_arguments(environment: Mapping[str, str]) -> list[str]:
    """Arguments of `python -m` that start the server; Streamlit itself rejects uploads above the limit."""
    arguments = ["streamlit", "run", str(Path(__file__).resolve().parent / "main.py")]
    upload = environment.get(variable("upload_mb"))
    return [*arguments, f"--server.maxUploadSize={upload}"] if upload else arguments


if __name__ == "__main__":
    main()
