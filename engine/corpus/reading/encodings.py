"""The encoding of a text: told by its bytes, or by the characters that they give.

Unicode and ISO-2022 can be told. In any other encoding, nearly all bytes are characters in CP949, too: Chinese,
Japanese and European texts become Hangul and ideographs. The likeliest is the one whose common characters are common in
the text.
"""

import codecs
import re

ENCODINGS = (
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp949", "iso2022_kr"),
    *("johab", "gb18030", "big5", "shift_jis", "euc_jp", "iso2022_jp", "windows-1252", "windows-1251", "koi8-r"),
)

_KOREAN = (
    "이다는을의에가고하지한로를은도사기있어나인아시대그리자정서해수일여보게들장것부전주라구면조상으제원만안과스성와였"
)
_CHINESE = "的一是不了在人有我他这個个們们中來来上大為为和国國地到以说說时時要就出会會，。、"
_RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшю"
_JAPANESE = "のにはをたがでてとしれさいあるうからりまこくすなもよっんスルトンーリイ、。"

# By encoding, common characters, and which share of all characters beyond ASCII they are in running text.
_COMMON = {
    "cp949": (_KOREAN, 0.5),
    "johab": (_KOREAN, 0.5),
    "gb18030": (_CHINESE, 0.2),
    "big5": (_CHINESE, 0.2),
    "shift_jis": (_JAPANESE, 0.5),
    "euc_jp": (_JAPANESE, 0.5),
    "windows-1252": ("éèàùçâêîôûëïäöüßñáíóúåæøãõìòýðþÉÈÄÖÜ’“”–«»", 1.0),
    "windows-1251": (_RUSSIAN, 1.0),
    "koi8-r": (_RUSSIAN, 1.0),
}
# Fewer different characters tell nothing, nor does a share of Korean ones that lists of rare words have, too.
_FEWEST, _LEAST_KOREAN = 10, 0.15
_MOST_BYTES = 1 << 16
_MARK_BYTES = 4096


def guesses(data: bytes) -> tuple[str, ...]:
    """Possible encodings of `data`, the likeliest first; a text that cannot be told from CP949 is taken for it."""
    if data[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return ("utf-32",)
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return ("utf-16",)
    sample = data[:_MARK_BYTES]
    if b"\x1b$" in sample and sample.isascii():
        return ("iso2022_kr",) if b"\x1b$)C" in sample else ("iso2022_jp",)
    # UTF-32 without a mark: no character is above U+10FFFF.
    if len(data) % 4 == 0 and len(data) >= 8:
        columns = [max(sample[k::4]) for k in range(4)]
        if columns[0] == 0 and columns[1] <= 0x10:
            return ("utf-32-be",)
        if columns[3] == 0 and columns[2] <= 0x10:
            return ("utf-32-le",)
    # UTF-16 without a mark: every other byte of ASCII spaces and line ends is zero. NUL bytes alone prove nothing (they
    # are valid UTF-8, and 대 is U+B300), so nearly all must be at even, or at odd, offsets; of what is text in UTF-8,
    # too, nearly all bytes at these offsets must be zero.
    zeros = sample[0::2].count(0), sample[1::2].count(0)
    most = max(zeros)
    may_be_utf_16 = most >= 4 * min(zeros) and most > max(1, len(sample) // 64) and len(data) % 2 == 0
    if may_be_utf_16 and (most > 0.45 * len(sample) or not is_text_in("utf-8", data)):
        return ("utf-16-le", "utf-8") if zeros[1] > zeros[0] else ("utf-16-be", "utf-8")
    return ("utf-8", "cp949")


def likely_encoding(data: bytes) -> str:
    """The likeliest encoding of a text without marks that is not wholly UTF-8: UTF-8 all the same, if most characters
    beyond ASCII are; CP949, if its common ones are frequent or nothing tells; else the one whose common ones are.
    """
    first = re.search(rb"[\x80-\xff]", data)
    begin = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    sample = data[begin : begin + _MOST_BYTES]
    unicode = _beyond_ascii(sample, "utf-8")
    if 2 * unicode.count("\ufffd") < len(unicode):
        return "utf-8"
    # Latin text is mostly ASCII. Read as CP949, its other letters swallow the next one, as few syllables do.
    is_latin = len(re.findall(rb"[A-Za-z]", sample)) > len(re.findall(rb"[\x80-\xff]", sample))
    pairs = re.findall(rb"[\x81-\xfe][A-Za-z\x81-\xfe]", sample)
    swallows = 2 * sum(pair[1] < 0x80 for pair in pairs) > len(pairs)
    korean = _beyond_ascii(sample, "cp949")
    is_korean = not swallows if is_latin else len(set(korean)) < _FEWEST
    if is_text_in("cp949", data) and (is_korean or _share(korean, _KOREAN) >= _LEAST_KOREAN):
        return "cp949"
    # The two have many bytes in common, but Cyrillic text is not mostly ASCII.
    less_likely = ("windows-1251", "koi8-r") if is_latin else ("windows-1252",)
    shares = {
        name: _share(_beyond_ascii(sample, name), common) / usual
        for name, (common, usual) in _COMMON.items()
        if name not in less_likely
    }
    return max(shares, key=lambda name: shares[name])


def _beyond_ascii(data: bytes, encoding: str) -> str:
    return "".join(char for char in data.decode(encoding, "replace") if not char.isascii())


def _share(text: str, common: str) -> float:
    return sum(char in common for char in text) / max(1, len(text))


def is_text_in(encoding: str, data: bytes) -> bool:
    """Whether all bytes are characters in this encoding."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
