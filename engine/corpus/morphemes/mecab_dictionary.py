"""A user dictionary compiled for MeCab, by the `dict-index` of python-mecab-ko.

It runs in a process of its own, because it ends its process on an error. The first run estimates every word's context
ids and cost with the model of mecab-ko-dic; the second compiles them, with the user's costs.
"""

import csv
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.corpus.morphemes.user_dictionary import UserDictionary, UserWord, Weights
from engine.errors import InputError
from engine.hangul.syllables import NO_FINAL, is_syllable, take_apart

_COSTS = Weights(-32_768, 32_767, True)
# The parts of speech whose context ids do not depend on the word: mecab-ko-dic has ids for each of its particles,
# dependent nouns and symbols, and none for a new one.
_TAGS = "NNG NNP NR NP VV VA VX VCN MM MAG MAJ IC EP EF EC ETN XPN XSV XSA XR SL"
USER_TAGS = dict.fromkeys(_TAGS.split(), _COSTS)
_COST = 3  # column
_SECONDS = 120


@contextmanager
def compiled(dictionary: UserDictionary) -> Iterator[Path]:
    """The file of a compiled dictionary, which may be removed once it has been opened.

    Raises
    ------
    InputError : MeCab refuses it.
    """
    with TemporaryDirectory(prefix="thunder-tok-", ignore_cleanup_errors=True) as folder:
        source, estimated, made = (Path(folder) / name for name in ("words.csv", "estimated.csv", "words.dic"))
        _write(source, [_row(word) for word in dictionary.words])
        _index(source, estimated, "--assign-user-dictionary-costs")
        with estimated.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        for row, word in zip(rows, dictionary.words, strict=True):
            row[_COST] = row[_COST] if word.weight is None else str(int(word.weight))
        _write(source, rows)
        _index(source, made)
        yield made


def _row(word: UserWord) -> list[str]:
    """A line of mecab-ko-dic: form, ids and cost to be estimated, tag, meaning, final consonant, reading, ..."""
    last = word.form[-1]
    has_final = is_syllable(last) and take_apart(last)[2] != NO_FINAL
    reading = "*" if set(word.form) & set(',"') else word.form
    return [word.form, "", "", "", word.tag, "*", "T" if has_final else "F", reading, "*", "*", "*", "*"]


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _index(source: Path, output: Path, *options: str) -> None:
    command = (sys.executable, "-m", "mecab", "dict-index", *options, "-u", str(output), "-f", "utf-8", "-t", "utf-8")
    try:
        done = subprocess.run([*command, str(source)], capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise InputError("user_dictionary.refused", reason=f"{_SECONDS} s") from None
    if done.returncode != 0 or not output.exists():
        said = done.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1]
        raise InputError("user_dictionary.refused", reason=said.replace("\ufffd", "?")[:200])
