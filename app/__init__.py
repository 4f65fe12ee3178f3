"""The Streamlit front end of Thunder-Tok Explorer.

`main.py` is the app, `serve.py` starts several processes of it, `prepare.py` trains the models of a first visit,
`worker.py` is the worker process. The folders, each importing only those after it: `views/` (one folder per page),
`classroom/` (a class: its page, rooms, phones, handout and report), `parts/` (shared by several pages), `share/` (a
page as a link, picture or package), `components/` (custom Streamlit components), `session/` (state of one visitor),
`server/` (state shared by all visitors; `main.py` adds the routes of classes and of sharing), `texts/` (messages,
corpora and examples) and `toys/` (toy algorithms). `texts` and `toys` do not know each other.
"""

from pathlib import Path

from engine import VERSION as VERSION

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "assets"
