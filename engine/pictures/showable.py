"""Any text as one that can be seen, and written into JSON and XML."""

import re

from engine.hangul.jamo import readable

# Control characters, lone surrogates, bidirectional controls, the replacement character itself, and two code points
# that are no characters, which XML excludes.
_UNSHOWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd-\uffff\ud800-\udfff]"
)
_PLAIN = re.compile("[ -~가-힣]*")
# Joiners and variation selectors only work between other characters; alone they are invisible.
_INVISIBLE = re.compile("[\xad\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")


def showable(text: str) -> str:
    """`text` with invisible or unsendable characters as hex bytes, `<0xEF><0xBF><0xBD>`, and jamo `readable`."""
    if _PLAIN.fullmatch(text):  # most texts
        return text
    return (_INVISIBLE if _INVISIBLE.fullmatch(text) else _UNSHOWABLE).sub(_hex, readable(text))


def _hex(match: re.Match[str]) -> str:
    return "".join(f"<0x{byte:02X}>" for byte in match[0].encode("utf-8", "surrogatepass"))
