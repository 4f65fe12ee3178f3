"""What to cite: the entries of `assets/references.bib`, by their keys."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

_FILE = Path(__file__).resolve().parents[2] / "assets" / "references.bib"
_ENTRY = re.compile(r"^@\w+\{(\w+),\n.*?^\}\n", re.DOTALL | re.MULTILINE)
PROGRAM, PAPER = "thunder_tok_explorer", "cho2025"
# Sources that are named, not by author and year.
_NAMED = {
    "Thunder-Tok": PAPER,
    "The Unicode Standard": "unicode",
    "UAX #15": "uax15",
    "UAX #29": "uax29",
    "RFC 3629": "yergeau2003",
    "SentencePiece": "kudo2018sentencepiece",
}
_AUTHOR_YEAR = re.compile(r"(\w+)\b.*?\b((?:19|20)\d\d)\b")


@cache
def references() -> Mapping[str, str]:
    """All entries of BibTeX by their keys."""
    return {match[1]: match[0] for match in _ENTRY.finditer(_FILE.read_text(encoding="utf-8"))}


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys, each once, in the order of the keys."""
    return "\n".join(references()[key] for key in dict.fromkeys(keys))


def cited_keys(text: str) -> list[str]:
    """Keys of what a text cites by author and year, such as `Rayson and Garside 2000` or `Juilland's D (1970)`."""
    letters = (char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char))
    plain = unicodedata.normalize("NFC", "".join(letters))
    others = r"(?:'s \w+|의 \w+|(?: and |·| & |, )[a-z]+| et al\.?| 외)?"
    cited = re.findall(rf"\b([a-z]+){others},? ?\(?((?:19|20)\d\d)\b", plain)
    return [author + year for author, year in cited if author + year in references()]


def source_keys(source: str) -> list[str]:
    """Keys of a source as the glossary has it: `Thunder-Tok, §3.3; Harris 1955`; those without an entry left out."""
    found = []
    for part in source.split("; "):
        name = next((key for start, key in _NAMED.items() if part.startswith(start)), "")
        match = _AUTHOR_YEAR.match(part)
        key = name or (f"{match[1].lower()}{match[2]}" if match else "")
        found += [key] if key in references() else []
    return found
