"""Texts whose lines are not all text: what else they contain would be counted as words."""

import re

from engine.corpus.reading.jsonl import is_json_document, is_json_lines
from engine.errors import InputError

_TIME = r"\d+:\d\d:\d\d[,.]\d+"
_CUE = rf"(?:\d+[ \t]*\n)?{_TIME} --> |{_TIME},{_TIME}[ \t]*\n|\[\d+:\d\d[.:]\d\d+\]|\{{\d+\}}\{{\d+\}}"
_BLOCK = r"<(?:head|body|title|meta|div|p|table|ul|ol|h[1-6]|article|section)\b[^<>]*>"
# A line that is one opening tag, with attributes or closed later.
_ELEMENT = r"<([A-Za-z][\w:.-]*)(?:\s+[\w:.-]+\s*=[^<>]*>[ \t]*\n|\s*>[ \t]*\n.*</\1>)"

# How such a text begins, after white space.
_BEGINNINGS = {
    "subtitles": rf"(?i:WEBVTT\b|<SAMI\b|\[Script Info\]|{_CUE})",
    "html": rf"(?i:<!doctype\s+html\b|<html\b|{_BLOCK})",
    "tei": r"(?:<\?xml\b[^>]*>\s*)?(?:<!--.*?-->\s*|<\?.*?\?>\s*)*<(?:TEI|teiCorpus|TEI\.2)\b",
    "xml": rf"<\?xml\b|<!DOCTYPE\b|{_ELEMENT}",
    "rtf": r"\{\\rtf",
}
_MOST = 4096


def refuse_markup(text: str) -> None:
    """Refuse a document in markup, subtitles with their times, and JSON, which are no plain text.

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
    if is_json_lines(text):
        raise InputError("file.json_lines")
