r"""Regular expressions of other engines, written for `regex`: the same matches, or refused by name.

`tokenizers` matches with Oniguruma in its Ruby syntax, `tiktoken` with fancy-regex, which extends Rust's regex. Both
follow Unicode 16, so a character that is younger is matched as one that is not assigned.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters
from typing import NamedTuple

import regex

from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.errors import InputError

# Assigned in Unicode 17 and 18.
_YOUNGER = re.compile(
    "["
    r"\u0558\u058b-\u058c\u05c8-\u05c9\u088f\u0b53-\u0b54\u0c5c\u0cdc\u1acf-\u1af0\u208f\u209d-\u209f"
    r"\u20c1-\u20c4\u2b96\u2e60-\u2e63\ua7ce-\ua7cf\ua7d2\ua7d4\ua7dd\ua7e2\ua7f1\uab6c-\uab6d\ufbc3-\ufbd2"
    r"\ufd90-\ufd91\ufdc8-\ufdce\U000107bb-\U000107bf\U00010940-\U00010959\U00010ec5-\U00010ec7"
    r"\U00010ec9-\U00010eee\U00010ef0-\U00010efb\U00011b0a\U00011b60-\U00011b67\U00011db0-\U00011ddb"
    r"\U00011de0-\U00011de9\U00011df0-\U00011df1\U0001246f\U00012475-\U0001247f\U00012550-\U00012686"
    r"\U00016ea0-\U00016eb8\U00016ebb-\U00016ed3\U00016ff2-\U00016ff6\U000187f8-\U000187ff\U00018cd6-\U00018cda"
    r"\U00018d09-\U00018d20\U00018d80-\U00018df2\U00018e00-\U00019191\U000191a0-\U000191d2\U0001b123-\U0001b128"
    r"\U0001b168\U0001ccfa-\U0001ccfc\U0001ceba-\U0001ced0\U0001ced2-\U0001ced4\U0001cedd-\U0001cefd"
    r"\U0001d127-\U0001d128\U0001d1eb-\U0001d1ff\U0001d250-\U0001d281\U0001d6a6\U0001db00-\U0001db1c"
    r"\U0001df1f-\U0001df24\U0001df2b-\U0001df81\U0001df90-\U0001df96\U0001dfcd-\U0001dfff\U0001e6c0-\U0001e6de"
    r"\U0001e6e0-\U0001e6f5\U0001e6fe-\U0001e6ff\U0001f1ae\U0001f6d8-\U0001f6d9\U0001f777-\U0001f77a"
    r"\U0001f7da-\U0001f7db\U0001f7f1-\U0001f7ff\U0001f8d0-\U0001f8d8\U0001fa54-\U0001fa57\U0001fa8a-\U0001fa8e"
    r"\U0001fac8\U0001facc-\U0001facd\U0001fadd\U0001faea-\U0001faeb\U0001faef\U0001faf9-\U0001fafa\U0001fbfa"
    r"\U0002b73a-\U0002b73f\U0002b81e\U0002cea2-\U0002cead\U000323b0-\U00033479\U0003d000-\U0003fc3f"
    "]"
)
_UNASSIGNED = "\u0378"

_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
# Oniguruma's tables for Latin-1 call these letters of a word, but its ranges, which classes are made of, do not.
_LATIN_WORD = r"\xb2\xb3\xb9\xbc-\xbe"
_LINE_END = r"(?>\r\n|[\n-\r\x85\u2028\u2029])"
_SHORT = {"d": r"\p{Nd}", "s": r"\p{White_Space}", "h": "0-9A-Fa-f"}
_POSIX_UNICODE = {
    "alnum": r"\p{Alphabetic}\p{Nd}",
    "alpha": r"\p{Alphabetic}",
    "ascii": r"\x00-\x7f",
    "blank": r"\p{Zs}\t",
    "cntrl": r"\p{Cc}",
    "digit": r"\p{Nd}",
    "graph": r"[\S--[\p{Cc}\p{Cn}\p{Cs}]]",
    "lower": r"\p{Lowercase}\u0295",
    "print": r"[[\S\p{Zs}]--[\p{Cc}\p{Cn}\p{Cs}]]",
    "punct": r"\p{P}\p{S}",
    "space": r"\p{White_Space}",
    "upper": r"\p{Uppercase}",
    "xdigit": "0-9A-Fa-f",
    "word": _WORD,
}
_POSIX_ASCII = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t\x20",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": r"\x20-~",
    "punct": r"!-/\:-@\[-`\{-\~",
    "space": r"\t-\r\x20",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
    "word": "0-9A-Z_a-z",
}


@dataclass(frozen=True, eq=False)
class Dialect:
    r"""What two engines read differently.

    Attributes
    ----------
    title : as it is named to a user.
    word, class_word : the characters of `\w`, outside of classes and in them.
    posix : the characters of `[[:name:]]`.
    is_ruby : `(?m:` lets the dot match line ends, ^ and $ match at every line, and `{2}+` is one repetition of another.
    """

    title: str
    word: str
    class_word: str
    posix: Mapping[str, str]
    is_ruby: bool


ONIGURUMA = Dialect("Oniguruma", _WORD + _LATIN_WORD, _WORD, _POSIX_UNICODE, is_ruby=True)
FANCY_REGEX = Dialect("fancy-regex", rf"{_WORD}\p{{Join_Control}}", rf"{_WORD}\p{{Join_Control}}", _POSIX_ASCII, False)

# Properties that have changed since, as they were; None: too much has.
_OLDER = {
    **dict.fromkeys(("ll", "lowercaseletter"), r"\p{Ll}\u0295"),
    **dict.fromkeys(("lo", "otherletter"), r"[\p{Lo}--\u0295]"),
    **dict.fromkeys(("lower", "lowercase"), r"\p{Lowercase}\u0295"),
    **dict.fromkeys(("word", "extendedpictographic", "extpict", "lc", "casedletter", "cased")),
}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
# Two letters that one character of another spelling stands for, and other letters of a kind than those of ASCII.
_LIGATURES = ("ss", "st", "ff", "fi", "fl")
_KIN = {"k": "\u212a", "s": "\u017f"}


class _Flags(NamedTuple):
    """Whether case is ignored, the dot matches line ends, and ^ and $ match at every line."""

    i: bool = False
    s: bool = False
    m: bool = False


class _Translator:
    """Reads a pattern from left to right; without conditions on what is around a match if `is_bare`."""

    def __init__(self, pattern: str, dialect: Dialect, is_bare: bool = False) -> None:
        self._pattern, self._dialect, self._at, self._is_bare = pattern, dialect, 0, is_bare

    def translated(self) -> str:
        found = self._alternatives(_Flags())
        if self._at < len(self._pattern):
            raise self._refusal(")")
        return found

    # ---- reading

    def _refusal(self, part: str) -> InputError:
        return InputError("pattern.dialect", part=part[:40], engine=self._dialect.title)

    def _next(self) -> str:
        if self._at >= len(self._pattern):
            raise self._refusal(self._pattern[-1:] or "empty")
        self._at += 1
        return self._pattern[self._at - 1]

    def _take(self, expression: str) -> "regex.Match[str] | None":
        found = regex.compile(expression).match(self._pattern, self._at)
        if found:
            self._at = found.end()
        return found

    # ---- outside of classes

    def _alternatives(self, flags: _Flags) -> str:
        parts, letters = [""], ""
        while self._at < len(self._pattern) and self._pattern[self._at] != ")":
            if self._take(r"\|"):
                parts.append("")
                letters = ""
                continue
            if found := self._take(r"\(\?([imsx]*)(?:-([imsx]*))?\)"):
                flags = self._changed(flags, found)
                if self._dialect.is_ruby:  # a group that ends with this one: it has the alternatives that follow
                    parts[-1] += f"(?:{self._alternatives(flags)})"
                    break
                continue
            atom, letter = self._atom(flags)
            letters = letters[-1:] + letter if letter else ""
            if flags.i and self._dialect.is_ruby and letters.lower() in _LIGATURES:
                raise self._refusal(f"(?i:{letters})")
            parts[-1] += self._repeated("" if self._is_bare and atom.startswith(_CONDITIONS) else atom)
        return "|".join(parts)

    def _changed(self, flags: _Flags, found: "regex.Match[str]") -> _Flags:
        on, off = found[1], found[2] or ""
        if "x" in on + off or (self._dialect.is_ruby and "s" in on + off):
            raise self._refusal(found[0])
        names = {"m": "s"} if self._dialect.is_ruby else {}
        changed = {names.get(name, name): True for name in on} | {names.get(name, name): False for name in off}
        return flags._replace(**changed)

    def _repeated(self, atom: str) -> str:
        is_repeated = False
        while found := self._take(r"(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\})"):
            count = found[0]
            if not self._dialect.is_ruby and (is_repeated or count.startswith("{,")):
                raise self._refusal(count)
            is_repeated = True
            count = count.replace("{,", "{0,")
            how = self._take("[+?]")
            is_braces = count[0] == "{"
            if how and is_braces and self._dialect.is_ruby and (how[0] == "+" or "," not in count):
                self._at -= 1  # a repetition of the repetition
                how = None
            atom = f"(?:{atom}){count}{how[0] if how else ''}"
        return atom

    def _atom(self, flags: _Flags) -> tuple[str, str]:
        """One atom, and the letter that it is."""
        sign = self._next()
        if sign == "[":
            return self._class(flags.i), ""
        if sign == "(":
            return self._group(flags), ""
        if sign == ".":
            return (r"[\s\S]" if flags.s else r"[^\n]"), ""
        if sign == "^":
            every = r"(?<![^\n])(?!(?<!\A)\Z)" if self._dialect.is_ruby else r"(?<![^\n])"
            return (every if self._dialect.is_ruby or flags.m else r"\A"), ""
        if sign == "$":
            return (r"(?![^\n])" if self._dialect.is_ruby or flags.m else r"\Z"), ""
        if sign == "\\":
            return self._escape(flags)
        if sign in "*+?" or (sign == "{" and not self._dialect.is_ruby):
            raise self._refusal(sign)
        return self._literal(sign, flags), sign

    def _literal(self, sign: str, flags: _Flags) -> str:
        if not flags.i or not sign.isalpha() or sign.lower() == sign.upper():
            return regex.escape(sign, special_only=False)
        if not sign.isascii():
            raise self._refusal(f"(?i:{sign})")
        return f"[{_both_cases(sign)}]"

    def _group(self, flags: _Flags) -> str:
        if self._take(r"\?#[^)]*\)"):
            return ""
        if found := self._take(r"\?([imsx]*)(?:-([imsx]*))?:"):
            return self._closed("(?:", self._changed(flags, found))
        if found := self._take(r"\?(?:<?[=!]|>)"):
            return self._closed(f"({found[0]}", flags)
        if self._take(r"\?<[A-Za-z_]\w*>") or (not self._dialect.is_ruby and self._take(r"\?P<[A-Za-z_]\w*>")):
            return self._closed("(?:", flags)
        if self._pattern.startswith("?", self._at):
            raise self._refusal("(" + self._pattern[self._at : self._at + 3])
        return self._closed("(?:", flags)

    def _closed(self, opening: str, flags: _Flags) -> str:
        inner = self._alternatives(flags)
        if not self._take(r"\)"):
            raise self._refusal("(")
        return f"{opening}{inner})"

    def _escape(self, flags: _Flags) -> tuple[str, str]:
        name = self._next()
        word = f"[{self._dialect.word}]"
        boundary = f"(?=(?<={word})(?!{word})|(?<!{word})(?={word}))"
        no_boundary = f"(?=(?<={word})(?={word})|(?<!{word})(?!{word}))"
        last = r"(?=\n?\Z)" if self._dialect.is_ruby else r"(?=\n*\Z)"
        plain = {"A": r"\A", "z": r"\Z", "Z": last, "b": boundary, "B": no_boundary}
        if name in plain:
            return plain[name], ""
        if name in "wW":
            return f"[{'^' * (name == 'W')}{self._dialect.word}]", ""
        if name == "R":
            return _LINE_END, ""
        self._at -= 1
        found = self._class_escape(flags.i)
        return (found, "") if len(found) > 1 else (self._literal(found, flags), found)

    # ---- classes

    def _class(self, ignores_case: bool) -> str:
        """A class, after its [."""
        is_inverted = self._take(r"\^") is not None
        if self._take(r"\]"):
            raise self._refusal("[]")
        sides, operators = [""], [""]
        while not self._take(r"\]"):
            if operator := self._take("&&" if self._dialect.is_ruby else "&&|--|~~"):
                sides.append("")
                operators.append(operator[0])
            else:
                sides[-1] += self._item(ignores_case)
        if not all(sides):
            raise self._refusal("&&")
        found = f"[{sides[0]}]"
        for operator, side in zip(operators[1:], sides[1:], strict=True):
            found = f"[{found}{operator}[{side}]]"
        return f"[^{found}]" if is_inverted else found

    def _item(self, ignores_case: bool) -> str:
        """One character, one range, one set of characters, or a class."""
        if posix := self._take(r"\[:(\^?)(\w+):\]"):
            if ignores_case:
                raise self._refusal(f"(?i:{posix[0]})")
            return self._set(self._posix(posix[2]), posix[1] == "^")
        first = self._next()
        if first == "[":
            return self._class(ignores_case)
        if first == "\\":
            first = self._class_escape(ignores_case)
        if len(first) > 1 or not (self._pattern.startswith("-", self._at) and self._take(r"-(?![\]\-])")):
            return first if len(first) > 1 else self._range(first, first, ignores_case)
        last = self._next()
        if last == "\\":
            last = self._class_escape(ignores_case)
        if len(last) > 1 or last == "[" or last < first:
            raise self._refusal(f"{first}-{last}")
        return self._range(first, last, ignores_case)

    def _range(self, first: str, last: str, ignores_case: bool) -> str:
        found = _in_class(first) if first == last else f"{_in_class(first)}-{_in_class(last)}"
        if not ignores_case:
            return found
        if any(chr(code).lower() != chr(code).upper() for code in range(max(128, ord(first)), ord(last) + 1)):
            raise self._refusal(f"(?i:[{first}-{last}])")
        return found + "".join(_both_cases(letter) for letter in ascii_letters if first <= letter <= last)

    def _class_escape(self, ignores_case: bool) -> str:
        """After a backslash: one character, or the longer text of a set."""
        name = self._next()
        if name.lower() in _SHORT:
            return self._set(_SHORT[name.lower()], name.isupper())
        if name in "wW":
            return self._set(self._dialect.class_word, name == "W")
        if name in "pP" and not ignores_case:
            return self._property(name == "P")
        if name in _CONTROLS:
            return _CONTROLS[name]
        if name in "xu" and (code := self._take(r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{4})" if name == "u" else _HEX)):
            return chr(int(code[1] or code[2], 16))
        if name.isalnum():
            raise self._refusal(f"\\{name}")
        return name

    def _set(self, members: str, is_inverted: bool) -> str:
        return f"[{'^' * is_inverted}{members}]"

    def _posix(self, name: str) -> str:
        if name not in self._dialect.posix:
            raise self._refusal(f"[:{name}:]")
        return self._dialect.posix[name]

    def _property(self, is_inverted: bool) -> str:
        found = self._take(r"\{(\^?)([\w =-]+)\}") or self._take("()([A-Z])")
        if found is None or (self._dialect.is_ruby and (found[0][0] != "{" or "=" in found[2])):
            raise self._refusal(r"\p")
        name = regex.sub(r"[\s_-]", "", found[2].lower())
        is_inverted ^= found[1] == "^"
        kind, _, value = name.rpartition("=")
        candidates = [f"{kind}={value}"] if kind else [f"gc={value}", f"sc={value}"]
        members = next((rf"\p{{{one}}}" for one in candidates if _is_property(one)), None)
        if self._dialect.is_ruby and members is None:
            members = self._dialect.posix.get(name)
        if members is None and value not in _POSIX_ASCII and _is_property(f"{value}=yes"):
            members = rf"\p{{{value}=yes}}"
        members = _OLDER.get(value, members)
        if members is None:
            raise self._refusal(rf"\p{{{found[2]}}}")
        return self._set(members, is_inverted)


# How an atom begins that matches no character.
_CONDITIONS = ("(?=", "(?!", "(?<", r"\A", r"\Z")
_HEX = r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2})"


def _both_cases(letter: str) -> str:
    return letter.lower() + letter.upper() + _KIN.get(letter.lower(), "")


def _in_class(sign: str) -> str:
    return sign if sign.isalnum() else f"\\{sign}" if sign.isprintable() and sign.isascii() else sign


@lru_cache(maxsize=256)
def _is_property(name: str) -> bool:
    try:
        regex.compile(rf"\p{{{name}}}")
    except regex.error:
        return False
    return True


class ForeignPattern(OwnPattern):
    """A regular expression of another engine; InputError if it is not valid, or not translated."""

    def __init__(self, pattern: str, dialect: Dialect) -> None:
        super().__init__(translated(pattern, dialect))

    def _run(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        return super()._run([_YOUNGER.sub(_UNASSIGNED, text) for text in texts])


def translated(pattern: str, dialect: Dialect) -> str:
    """The pattern for `regex`, without groups that capture.

    Raises
    ------
    InputError : it has something that is not translated; the message names it.
    """
    if younger := _YOUNGER.search(pattern):
        raise InputError("pattern.dialect", part=younger[0], engine=dialect.title)
    try:
        found = f"(?V1){_Translator(pattern, dialect).translated()}"
    except RecursionError:
        raise InputError("pattern.dialect", part="((", engine=dialect.title) from None
    # Where nothing is matched, `regex` looks again for something; the others go on with the next character.
    bare = _Translator(pattern, dialect, is_bare=True).translated()
    if regex.search(r"\||[*+?}]\?", pattern) and regex.match(f"(?V1){bare}", ""):
        raise InputError("pattern.dialect", part="||", engine=dialect.title)
    return found
