"""Texts whose lines are not all text: what else they contain would be counted as words."""

import re

from engine.corpus.reading.jsonl import is_json_document
from engine.errors import InputError

_CUE = r"\d+[ \t]*\n\d+:\d\d:\d\d[,.]\d+ --> "

# How such a text begins, after white space.
_BEGINNINGS = {
    "subtitles": rf"(?i:WEBVTT\b|<SAMI\b|\[Script Info\]|{_CUE})",
    "html": r"(?i:<!doctype\s+html\b|<html\b)",
    "tei": r"(?:<\?xml\b[^>]*>\s*)?(?:<!--.*?-->\s*|<\?.*?\?>\s*)*<(?:TEI|teiCorpus|TEI\.2)\b",
    "xml": r"<\?xml\b",
    "rtf": r"\{\\rtf",
}
_MOST = 4096


def refuse_markup(text: str) -> None:
    """Refuse a document in markup, subtitles with their times, and a JSON document, which are no plain text.

    Raises
    ------
    InputError : it is one; the message names its kind.
    """
    begin = text[:_MOST].lstrip().replace("\r\n", "\n").replace("\r", "\n")
    for what, pattern in _BEGINNINGS.items():
        if re.match(pattern, begin, re.DOTALL):
            raise InputError("file.kind", what=what)
    if is_json_document(text):
        raise InputError("file.json")
