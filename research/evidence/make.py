"""`make evidence` and `make papers`: reproduce the stored measurements, and those of the page Papers.

    python -m research.evidence.make [--only NAME] FOLDER

FOLDER contains ko_mix/*.txt.zst, parallel_pud/*.txt and, for the papers, further texts. Each measurement is a module of
this package with `corpus(texts)` (fingerprints), `settings()` and `figures(texts, earlier)`, which yields all figures
so far. They are stored each time; an interrupted series on the same text with the same settings is resumed.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.evidence.stored import EVIDENCE, stored, stored_names
from research.evidence.texts import EvidenceTexts, read_texts

MEASUREMENTS = (
    "ablation",
    "factorial",
    "published_code",
    "ngrams",
    "rivals",
    "description",
    "languages",
    "cost",
    "downstream",
)
PAPERS = ("papers_worked", "papers_public", "papers_shipped", "papers_entropy", "papers_thunder_tok")
_WIDTH = 120


def main(folder: Path, names: tuple[str, ...] = MEASUREMENTS) -> None:
    """Make the measurements of these names."""
    texts = read_texts(folder)
    for name in names:
        _make(name, texts)


def _make(name: str, texts: EvidenceTexts) -> None:
    measurement = import_module(f"research.evidence.{name}")
    corpus, settings = measurement.corpus(texts), measurement.settings()
    command = f"python -m research.evidence.make --only {name} FOLDER"
    content = {"name": name, "command": command, "commit": _commit(), "corpus": corpus, "settings": settings}
    earlier = stored(name) if name in stored_names() else None
    continues = earlier and earlier.corpus == corpus and earlier.settings == settings
    for figures in measurement.figures(texts, earlier.figures if earlier and continues else {}):
        _store({**content, "figures": figures})


def _store(content: Mapping[str, Any]) -> None:
    """Write the file of a measurement."""
    text = _as_text(content)
    (EVIDENCE / f"{content['name']}.json").write_text(text + "\n", encoding="utf-8")
    sys.stderr.write(f"{content['name']}: {len(text):,} bytes so far\n")


def _as_text(value: Any, indent: str = "\n") -> str:
    """JSON with every value that fits in a line in one."""
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + " "
    if isinstance(value, list):
        return f"[{','.join(inner + _as_text(one, inner) for one in value)}{indent}]"
    rows = (f"{inner}{json.dumps(name, ensure_ascii=False)}: {_as_text(one, inner)}" for name, one in value.items())
    return f"{{{','.join(rows)}{indent}}}"


def _commit() -> str:
    """The current commit; `-dirty` if the engine has changed, as the stored files change with every measurement."""
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "engine"], check=False)
    return head.stdout.strip() + ("-dirty" if changed.returncode else "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m research.evidence.make", description=__doc__.split("\n")[0])
    parser.add_argument("--only", action="append", choices=(*MEASUREMENTS, *PAPERS), metavar="NAME")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    main(options.folder, tuple(options.only or MEASUREMENTS))
