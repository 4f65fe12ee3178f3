"""The Streamlit front end of Thunder-Tok Explorer.

`main.py` is the app, `prepare.py` trains the models of a first visit, `worker.py` is the process that trains. The
folders, each importing only those after it: `views/` (one page a folder), `parts/` (what several pages use),
`components/` (the project's own Streamlit components), `session/` (what one visitor has), `server/` (what all visitors
share), `texts/` (what is said and shown), `lessons/` (toy algorithms and the questions of a class).
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "assets"
