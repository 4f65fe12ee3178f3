"""The initial symbols of a merge algorithm: the 256 bytes, or the characters of the corpus with word marks."""

from collections.abc import Sequence

import numpy as np

from engine._jit import kernel
from engine.config import N_BYTES
from engine.corpus.pretokens.character_classes import SPACE, character_classes
from engine.corpus.pretokens.pretokenize import text_of, to_codes, utf8_offsets
from engine.merge_settings import MergeSettings
from engine.merges.vocabulary import Token, bytes_label

# Bytes in the order of their printable characters in GPT-2, as in `tokenizers`.
BYTE_ORDER = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100), *range(0x21), *range(0x7F, 0xA1), 0xAD)

# Flags of a character's form in a word.
CONTINUING, FINAL = 1, 2
N_FORMS = 4

# Added to the id of a character whose form was not seen in training, so that no merge applies to it.
UNSEEN_FORM = 1 << 30


class ByteAlphabet:
    """The 256 bytes; no text is unknown.

    Parameters
    ----------
    first_id : id of the first byte of BYTE_ORDER.
    """

    def __init__(self, first_id: int) -> None:
        self._id_of_byte = np.empty(N_BYTES, dtype=np.int32)
        self._id_of_byte[list(BYTE_ORDER)] = first_id + np.arange(N_BYTES, dtype=np.int32)
        self.tokens = [Token(bytes_label(bytes([byte])), bytes([byte])) for byte in BYTE_ORDER]

    def symbols(self, codes: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Symbols of the words `codes[begin[i]:end[i]]`, which leave nothing out: int32 ids, and int64 ptr by word."""
        data = np.frombuffer(text_of(codes).encode(), dtype=np.uint8)
        return self._id_of_byte[data], utf8_offsets(codes)[np.append(begin, codes.size)]


@kernel
def _seen_forms(codes, begin, end, marks_continuing, marks_final):
    """Whether each character occurs in each form: bool[N_FORMS, 0x110000]."""
    seen = np.zeros((4, 0x110000), dtype=np.bool_)
    for i in range(begin.size):
        for j in range(begin[i], end[i]):
            form = 0
            if marks_continuing and j > begin[i]:
                form += 1
            if marks_final and j == end[i] - 1:
                form += 2
            seen[form, codes[j]] = True
    return seen


@kernel
def _character_symbols(codes, begin, end, ids, marks_continuing, marks_final, mark, unknown):
    """Characters of each word as ids (int32), with a mark (-1: none) after each word, and ptr by word.

    `ids[form, c]` is the id of character c in a form, or -1.
    """
    extra = 1 if mark >= 0 else 0
    ptr = np.empty(begin.size + 1, dtype=np.int64)
    ptr[0] = 0
    for i in range(begin.size):
        ptr[i + 1] = ptr[i] + end[i] - begin[i] + extra
    symbols = np.empty(ptr[-1], dtype=np.int32)
    for i in range(begin.size):
        k = ptr[i]
        for j in range(begin[i], end[i]):
            c = codes[j]
            symbols[k] = unknown
            if c < ids.shape[1] and ids[0, c] >= 0:
                form = 0
                if marks_continuing and j > begin[i]:
                    form += 1
                if marks_final and j == end[i] - 1:
                    form += 2
                symbols[k] = ids[form, c] if ids[form, c] >= 0 else ids[0, c] + UNSEEN_FORM
            k += 1
        if mark >= 0:
            symbols[k] = mark
    return symbols, ptr


class CharacterAlphabet:
    """Characters, with marks for those that end or continue a word.

    It contains every character unmarked, as in `tokenizers`, and in the marked forms that occur in the corpus. A known
    character in an unseen form is its unmarked token, which then takes part in no merge; an unknown character is the
    unknown token.

    Parameters
    ----------
    first_id : id of the first character. Ids are assigned by form, then by code point; a mark that is a separate symbol
        comes last.
    forms : characters seen in each form (N_FORMS strings); the first contains all of them.
    settings : the marks.
    unknown : id of the unknown token.
    """

    def __init__(self, first_id: int, forms: Sequence[str], settings: MergeSettings, unknown: int) -> None:
        self.forms = tuple(forms)
        self._settings = settings
        self._unknown = unknown
        self._attached = bool(settings.end_of_word) and settings.mark_place == "attached"
        self._ids = np.full((N_FORMS, int(to_codes(forms[0]).max(initial=0)) + 1), -1, dtype=np.int32)
        self.tokens: list[Token] = []
        for form, characters in enumerate(forms):
            codes = to_codes(characters)
            self._ids[form, codes] = first_id + len(self.tokens) + np.arange(codes.size, dtype=np.int32)
            self.tokens += [
                Token(marked(c, form, settings), c.encode(), bool(form & CONTINUING), bool(form & FINAL))
                for c in characters
            ]
        self.mark = -1  # not a separate symbol
        if settings.end_of_word and not self._attached:
            self.mark = first_id + len(self.tokens)
            self.tokens.append(Token(settings.end_of_word, b"", continues=True, ends=True))

    def symbols(self, codes: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Symbols of the words `codes[begin[i]:end[i]]`: int32 ids, and int64 ptr by word.

        UNSEEN_FORM is added to the id of a character in an unseen form, which occurs in no merge (as in Sennrich's
        subword-nmt).
        """
        symbols, ptr = _character_symbols(
            codes, begin, end, self._ids, bool(self._settings.continuing), self._attached, self.mark, self._unknown
        )
        return symbols, ptr


def marked(character: str, form: int, settings: MergeSettings) -> str:
    """The character with the marks of its form."""
    before = settings.continuing if form & CONTINUING else ""
    after = settings.end_of_word if form & FINAL else ""
    return f"{before}{character}{after}"


def character_forms(codes: np.ndarray, begin: np.ndarray, end: np.ndarray, settings: MergeSettings) -> list[str]:
    """Characters of the words, by form; the first string contains all of them."""
    attached = bool(settings.end_of_word) and settings.mark_place == "attached"
    seen = _seen_forms(codes, begin, end, bool(settings.continuing), attached)
    seen[0] = seen.any(axis=0)
    return ["".join(map(chr, np.flatnonzero(row).tolist())) for row in seen]


Alphabet = ByteAlphabet | CharacterAlphabet


@kernel
def _strip(codes, begin, end, classes):
    n = 0
    new_begin = np.empty_like(begin)
    new_end = np.empty_like(end)
    kept = np.empty(begin.size, dtype=np.int64)
    for i in range(begin.size):
        a, b = begin[i], end[i]
        while a < b and classes[codes[a]] == SPACE:
            a += 1
        while b > a and classes[codes[b - 1]] == SPACE:
            b -= 1
        if b > a:
            new_begin[n] = a
            new_end[n] = b
            kept[n] = i
            n += 1
    return new_begin[:n].copy(), new_end[:n].copy(), kept[:n].copy()


def strip_space(codes: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Strip white space from both ends of the ranges, and drop those that are only white space.

    Returns
    -------
    begin, end : int64[n], the stripped ranges.
    kept : int64[n], their indexes in the input.
    """
    begin, end, kept = _strip(codes, begin, end, character_classes())
    return begin, end, kept
