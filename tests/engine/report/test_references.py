"""What to cite: BibTeX that can be read, and CITATION.cff."""

import re

import yaml

from app import VERSION
from app.texts.catalogue import catalogue
from app.texts.glossary import GLOSSARY
from engine.report.references import PAPER, PROGRAM, bibtex, cited_keys, references, source_keys
from tests.conftest import ROOT

# Sources without authors and year: a norm, and a law.
_UNCITED = ("ISO/IEC", "한글 맞춤법")


def test_every_entry_is_balanced_and_says_who_what_and_when() -> None:
    text = (ROOT / "assets" / "references.bib").read_text(encoding="utf-8")
    assert len(references()) == len(re.findall(r"^@", text, re.MULTILINE))
    for key, entry in references().items():
        assert entry.count("{") == entry.count("}")
        fields = re.findall(r"^  (\w+) = \{.*\},?$", entry, re.MULTILINE)
        assert {"author", "title"} <= set(fields) and len(fields) == len(set(fields)), key
        assert len(entry.splitlines()) == len(fields) + 2


def test_every_source_of_the_glossary_can_be_cited() -> None:
    for term, about in GLOSSARY.items():
        if not about.source.startswith(_UNCITED):
            assert len(source_keys(about.source)) == len(about.source.split("; ")), term
    assert source_keys("Thunder-Tok, §3.3; Harris 1955") == [PAPER, "harris1955"]


def test_what_the_columns_of_tables_cite_has_an_entry() -> None:
    """In both languages the same; and every entry is cited somewhere."""
    found = {PROGRAM, PAPER, *(key for about in GLOSSARY.values() for key in source_keys(about.source))}
    for name, texts in catalogue().items():
        if ".help." in name or name.endswith("_help") or ".define." in name or name.startswith("share.method_"):
            keys = cited_keys(texts["en"])
            n_years = len(re.findall(r"\b(?:19|20)\d\d\b", texts["en"]))
            assert len(keys) == n_years and keys == cited_keys(texts["ko"]), (name, keys)
            found |= {*keys}
    assert found == {*references()}


def test_entries_come_once_in_their_order() -> None:
    written = bibtex([PAPER, PROGRAM, PAPER])
    assert re.findall(r"^@\w+\{(\w+),", written, re.MULTILINE) == [PAPER, PROGRAM]


def test_the_citation_file_names_this_version_and_the_paper() -> None:
    """The fields that version 1.2.0 of the Citation File Format requires."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0" and cited["message"] and cited["title"]
    assert cited["authors"] == [{"name": "Thunder-Tok Explorer maintainers"}]
    assert str(cited["version"]) == VERSION and f"version = {{{VERSION}}}" in references()[PROGRAM]
    (paper,) = cited["references"]
    assert {"authors", "title", "type"} <= set(paper) and paper["title"] in re.sub("[{}]", "", references()[PAPER])
