"""`python -m app`, or `thunder-tok-app`: kernels and first models made ready, then the server.

Whatever follows the command goes to `streamlit run`: `python -m app --server.port=8080`.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from app.server.limits import variable
from app.server.visitors import server_environment


def main() -> None:
    """Prepare, then become the server: this process is replaced, so that signals arrive."""
    for step in (["engine", "warmup"], ["app.prepare"]):
        code = subprocess.run([sys.executable, "-m", *step], check=False).returncode
        if code:
            sys.exit(code)
    arguments = [sys.executable, "-m", *server_arguments(os.environ), *sys.argv[1:]]
    os.execve(sys.executable, arguments, server_environment(os.environ))


def server_arguments(environment: Mapping[str, str]) -> list[str]:
    """What `python -m` is given to start the server; Streamlit itself refuses uploads above the limit."""
    arguments = ["streamlit", "run", str(Path(__file__).resolve().parent / "main.py")]
    upload = environment.get(variable("upload_mb"))
    return [*arguments, f"--server.maxUploadSize={upload}"] if upload else arguments


if __name__ == "__main__":
    main()
