"""Files of Korean corpora: the JSON of 모두의 말뭉치 (NIKL), and text tagged as in the Sejong corpus.

>>> print(nikl_rows('{"document": [{"metadata": {"date": "20190102"}, "sentence": [{"form": "꽃"}]}]}'))
{"form": "꽃", "date": "20190102", "year": "2019"}
>>> untagged("A-1\\t나무에\\t나무/NNG + 에/JKB\\nA-2\\t꽃이\\t꽃/NNG + 이/JKS\\nA-3\\t폈다\\t피/VV + 었/EP + 다/EF\\n")
'나무에 꽃이 폈다\\n'
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from engine.corpus.reading.lines import split_lines

FORM = "form"  # where 모두의 말뭉치 has the text
_UNITS = ("utterance", "paragraph", "sentence")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")

# An eojeol and its morphemes; a number of the eojeol may come first.
_TAGGED = re.compile(r"(?:[^\t]*\t)?([^\t]+)\t((?:\S+/[A-Z]{1,5}\d?)(?:\s*\+\s*\S+/[A-Z]{1,5}\d?)*)\s*")
_MARKUP = re.compile(r"\s*(?:<.*|;.*)?")
_SEEN = 200


def nikl_rows(text: str) -> str | None:
    """A document of 모두의 말뭉치 as JSON lines: what is written or spoken, and what is known of it; else None."""
    if text.lstrip()[:1] != "{" or '"document"' not in text:
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    documents = content.get("document")
    if not isinstance(documents, list):
        return None
    about = _facts(content.get("metadata"), ("category",))
    rows = [row for document in documents if isinstance(document, dict) for row in _rows(document, about)]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) if rows else None


def _rows(document: Mapping[str, Any], about: Mapping[str, str]) -> Iterator[dict[str, str]]:
    facts = {**about, **_facts(document.get("metadata"), ("category", "topic", "author", "publisher", "date"))}
    if year := _YEAR.match(facts.get("date", "")):
        facts["year"] = year[0]
    units: list[Any] = next((document[name] for name in _UNITS if isinstance(document.get(name), list)), [])
    for unit in units:
        if isinstance(unit, dict) and isinstance(unit.get(FORM), str) and unit[FORM].strip():
            yield {FORM: unit[FORM], **facts, **_facts(unit, ("speaker_id",))}


def _facts(metadata: object, names: tuple[str, ...]) -> dict[str, str]:
    own = metadata if isinstance(metadata, dict) else {}
    return {name: str(own[name]) for name in names if isinstance(own.get(name), str | int) and own[name] != ""}


def untagged(text: str) -> str | None:
    """The sentences of a tagged text, a line each; None if it is no such text.

    A sentence ends with an eojeol whose last tag is SF, and where a line has no eojeol.
    """
    lines = [line for line in split_lines(text[:100_000]) if not _MARKUP.fullmatch(line)]
    seen = list(islice(lines, _SEEN))
    if len(seen) < 3 or not all(map(_TAGGED.fullmatch, seen[:-1])):
        return None
    sentences: list[list[str]] = [[]]
    for line in split_lines(text):
        match = _TAGGED.fullmatch(line)
        if match is None:
            sentences.append([])
            continue
        sentences[-1].append(match[1])
        if re.search(r"/SF\s*$", match[2]):
            sentences.append([])
    return "".join(f"{' '.join(words)}\n" for words in sentences if words)
