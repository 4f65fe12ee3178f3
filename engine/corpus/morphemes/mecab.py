"""Morphemes and pre-tokens by MeCab-ko, through the optional package python-mecab-ko."""

import csv
import math
import subprocess
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import regex

from engine.corpus.morphemes.morpheme import AS_WRITTEN, AnalyserSettings, Morpheme, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import UserDictionary, UserWord, Weights
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError
from engine.hangul.syllables import NO_FINAL, is_syllable, letters_alone, take_apart

# A user dictionary compiled for MeCab, by the `dict-index` of python-mecab-ko.
#
# It runs in a process of its own, because it ends its process on an error. The first run estimates every word's context
# ids and cost with the model of mecab-ko-dic; the second compiles them, with the user's costs.

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


# With the tags of Sejong's set: numbers, with the points and commas inside; Han; all other letters.
_RUNS = regex.compile(
    r"(?P<SN>\p{Nd}+(?:[.,]\p{Nd}+)*)"
    r"|(?P<SH>\p{Script=Han}+)"
    r"|(?P<SL>[\p{L}--\p{Script=Hangul}--\p{Script=Han}][[\p{L}\p{M}'’]--\p{Script=Hangul}--\p{Script=Han}]*(?<!['’]))",
    regex.V1,
)


# The package takes time quadratic in the length of the text, so a long line is analysed in pieces.
_PIECE = 1000
# Paths tried for one different analysis: most paths differ only in senses of a word, which are not shown.
_PATHS = 50


@lru_cache(maxsize=2)
def _tagger(dictionary: UserDictionary | None = None) -> Any:
    """The analyser with its dictionary and a user's; it is thread-safe."""
    try:
        import mecab
    except ImportError:
        raise InputError("mecab.missing") from None
    if dictionary is None:
        return mecab.MeCab()
    with compiled(dictionary) as path:
        return mecab.MeCab(user_dictionary_path=path)


def _pieces(text: str) -> list[tuple[int, int]]:
    """Ranges of the text to analyse: without NUL, which ends a text in MeCab, and cut at spaces if too long."""
    pieces = []
    begin = 0
    while begin < len(text):
        end = text.find("\0", begin)
        end = len(text) if end < 0 else end
        if end - begin > _PIECE:
            space = text.rfind(" ", begin + 1, begin + _PIECE)
            end = space if space > begin else begin + _PIECE
        if end > begin:
            pieces.append((begin, end))
        begin = end + 1 if end < len(text) and text[end] == "\0" else end
    return pieces


def _analysed(text: str, dictionary: UserDictionary | None = None) -> Iterator[tuple[int, int, list[Morpheme]]]:
    """Begin, end and morphemes of each piece of the text."""
    tagger = _tagger(dictionary)
    to_codes(text)
    for begin, end in _pieces(text):
        yield begin, end, _placed(tagger.parse(text[begin:end]), text, begin, end)


def _placed(nodes: list[Any], text: str, begin: int, end: int) -> list[Morpheme]:
    """The morphemes with their places: the analyser's own are wrong if the text begins with white space."""
    found, at = [], begin
    for node in nodes:
        at = text.find(node.surface, at, end)
        found.append(Morpheme(at, at + len(node.surface), node.feature.pos, _form(node)))
        at += len(node.surface)
    return found


def _form(node: Any) -> str:
    """Dictionary form: 가+았 for 갔, whose expression is `가/VV/*+았/EP/*`; the surface if not inflected."""
    if node.feature.type != "Inflect":
        return str(node.surface)
    return letters_alone("+".join(part.partition("/")[0] for part in node.feature.expression.split("+")))


def analysed_morphemes(text: str) -> list[Morpheme]:
    """Morphemes of one line as MeCab gives them, in order; raises as `morpheme_ends` does."""
    return [morpheme for _, _, found in _analysed(text) for morpheme in found]


def korean_morphemes(text: str, settings: AnalyserSettings = AS_WRITTEN) -> list[Morpheme]:
    """Morphemes of one line, where a number or a word in another script is one; raises as `morpheme_ends` does."""
    found = [morpheme for _, _, own in _analysed(text, settings.dictionary) for morpheme in own]
    return with_foreign_runs(text, found, _own_forms(settings.dictionary))


@lru_cache(maxsize=2)
def _own_forms(dictionary: UserDictionary | None) -> frozenset[str]:
    return frozenset(word.form for word in dictionary.words) if dictionary else frozenset()


def best_analyses(text: str, limit: int, settings: AnalyserSettings = AS_WRITTEN) -> list[ScoredAnalysis]:
    """Up to `limit` different analyses of one line, the best first; of a line of more than 1,000 characters one.

    Raises
    ------
    InputError : as `morpheme_ends`.
    """
    pieces = _pieces(text)
    if len(pieces) != 1 or pieces[0] != (0, len(text)):
        return [ScoredAnalysis(korean_morphemes(text, settings), math.nan)]
    to_codes(text)
    found: dict[tuple[Morpheme, ...], float] = {}
    for nodes, cost in _paths(text, limit * _PATHS, settings):
        own = with_foreign_runs(text, _placed(nodes, text, 0, len(text)), _own_forms(settings.dictionary))
        found.setdefault(tuple(own), -cost)
        if len(found) == limit:
            break
    return [ScoredAnalysis(list(own), score) for own, score in found.items()]


def _paths(text: str, limit: int, settings: AnalyserSettings) -> Iterator[tuple[list[Any], int]]:
    """The first paths of the line's lattice by ascending cost: their morphemes, and the cost."""
    tagger = _tagger(settings.dictionary)._tagger
    import _mecab
    from mecab.types import Morpheme as Node

    lattice = _mecab.Lattice()
    lattice.set_request_type(_mecab.MECAB_NBEST | _mecab.MECAB_ALLOCATE_SENTENCE)
    lattice.set_sentence(text)
    more = tagger.parse(lattice)
    while more and limit > 0:
        own = list(lattice)
        nodes = [lattice.bos_node(), *(node for _, node in own), lattice.eos_node()]
        yield [Node._from_node(*one) for one in own], sum(map(_step_cost, nodes, nodes[1:]))
        more, limit = lattice.next(), limit - 1


def _step_cost(left: Any, right: Any) -> int:
    """Cost of a node after another one: of the word, of the connection, and of a space before it."""
    path = right.lpath
    while path is not None and path.lnode.id != left.id:
        path = path.lnext
    return 0 if path is None else int(path.cost)


def morpheme_ends(text: str) -> list[int]:
    """End offsets of pre-tokens that tile one line, one per morpheme.

    A space (U+0020) directly before a morpheme belongs to it, as in the other pre-tokenizers. Other white space, and
    characters that the analyser skips, become separate pre-tokens.

    Raises
    ------
    InputError : the package is not installed, or the text contains a lone surrogate.
    """
    cuts = {len(text)}
    for begin, _, found in _analysed(text):
        cuts.add(begin)
        for at, end, *_ in found:
            cuts.discard(at)  # the space before a morpheme may be the last character of the previous piece
            cuts.add(at - 1 if at > 0 and text[at - 1] == " " else at)
            cuts.add(end)
    return sorted(cuts - {0})


def foreign_runs(text: str) -> list[Morpheme]:
    """The numbers and the words in other scripts than Hangul, in order.

    >>> [(one.form, one.tag) for one in foreign_runs("값은 3.14, 大韓民國의 don't는 iPhone15")]
    [('3.14', 'SN'), ('大韓民國', 'SH'), ("don't", 'SL'), ('iPhone', 'SL'), ('15', 'SN')]
    """
    return [Morpheme(one.start(), one.end(), str(one.lastgroup), one[0]) for one in _RUNS.finditer(text)]


def with_foreign_runs(text: str, found: list[Morpheme], own_words: Container[str] = ()) -> list[Morpheme]:
    """An analyser's morphemes, with its answers inside `foreign_runs` replaced by them.

    A morpheme with Hangul in it (3·1절) stays, and so does one that is in the user's own words. White space is none:
    MeCab takes all but spaces and tabs for symbols.
    """
    found = [one for one in found if not text[one.begin : one.end].isspace()]
    runs = foreign_runs(text)
    if not runs:
        return found
    begins = np.array([run.begin for run in runs])
    of = [int(np.searchsorted(begins, one.begin, "right")) - 1 for one in found]  # the run that may contain it
    is_inside = [k >= 0 and one.end <= runs[k].end for one, k in zip(found, of, strict=True)]
    crossed = {
        k
        for one, inside, first in zip(found, is_inside, of, strict=True)
        if not inside or text[one.begin : one.end] in own_words
        for k in range(max(0, first), int(np.searchsorted(begins, one.end, "left")))
        if one.begin < runs[k].end
    }
    kept = [one for one, inside, k in zip(found, is_inside, of, strict=True) if not inside or k in crossed]
    return sorted([*kept, *(run for k, run in enumerate(runs) if k not in crossed)])
