"""Bytes that are not UTF-8: whether bytes before and after them can make it so."""

_TAILS = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
"""First continuation byte after these lead bytes; 0x80 to 0xBF after all others (Unicode 15, table 3-7)."""


def can_be_completed(data: bytes) -> bool:
    """Whether some text's UTF-8 contains these bytes: the end of a character, whole characters, the beginning of one.

    >>> can_be_completed(b"\\x97 a\\xec\\xb1"), can_be_completed(b"\\xec\\xb1a"), can_be_completed(b"\\xff")
    (True, False, False)
    """
    begin = 0
    while begin < len(data) and _is_tail(data[begin]):
        begin += 1
    if begin > 3:
        return False
    if begin == len(data):
        return True
    at = begin
    while at < len(data):
        lead = data[at]
        size = _size(lead)
        if not size:
            return False
        low, high = _TAILS.get(lead, (0x80, 0xBF))
        tail = data[at + 1 : at + size]
        if tail and not low <= tail[0] <= high:
            return False
        if not all(map(_is_tail, tail[1:])):
            return False
        at += size
    return True


def _is_tail(byte: int) -> bool:
    return 0x80 <= byte <= 0xBF


def _size(lead: int) -> int:
    """Bytes of the character that begins with this byte; 0 if none does."""
    if lead < 0x80:
        return 1
    if 0xC2 <= lead <= 0xDF:
        return 2
    if 0xE0 <= lead <= 0xEF:
        return 3
    return 4 if 0xF0 <= lead <= 0xF4 else 0
