"""Files of a corpus: sub-corpora by metadata, places of lines, sums by file, compared with plain loops."""

import random

import numpy as np
import pytest

from engine.corpus.files import CorpusFiles, parse_where
from engine.corpus.metadata import MetadataTable, described, different_names, name_fields, open_metadata
from engine.errors import InputError

_NAMES = ("novel_1998_kim.txt", "novel_2003_lee.txt", "news_1998.txt", "news_2010.txt", "chat.txt")
_SIZES = (3, 0, 2, 4, 1)


def _files() -> CorpusFiles:
    return described(CorpusFiles.of(dict(zip(_NAMES, _SIZES, strict=True))))[0]


def test_names_say_register_year_and_speaker() -> None:
    files = _files()
    assert files.columns == {
        "file": _NAMES,
        "register": ("novel", "novel", "news", "news", "chat"),
        "year": ("1998", "2003", "1998", "2010", ""),
        "speaker": ("kim", "lee", "", "", ""),
    }
    assert files.values("register") == ["novel", "news", "chat"]
    assert files.choose({"register": ["novel", "chat"]}) == (0, 1, 4)
    assert files.choose({"register": ["novel"], "year": ["1990..1999"]}) == (0,)
    assert files.choose({"year": ["1990..2005"]}) == (0, 1, 2)
    assert files.choose({"year": ["..1998"]}) == (0, 2) and files.choose({"year": ["2003.."]}) == (1, 3)
    assert files.rest((0, 1)) == (2, 3, 4)


def test_lines_sums_and_places_are_those_of_a_loop() -> None:
    files, random_ = _files(), random.Random(0)
    names = [name for name, size in zip(_NAMES, _SIZES, strict=True) for _ in range(size)]
    lines = [f"{name} {i}" for i, name in enumerate(names)]
    assert files.lines_of((3, 0), lines) == [line for line in lines if line.startswith("news_2010")] + lines[:3]
    counts = np.array([random_.randrange(9) for _ in lines])
    assert files.sums(counts).tolist() == [
        sum(c for c, n in zip(counts.tolist(), names, strict=True) if n == name) for name in _NAMES
    ]
    pairs = np.column_stack([counts, 2 * counts])
    assert files.sums(pairs)[:, 1].tolist() == (2 * files.sums(counts)).tolist()
    file, within = files.places(np.arange(len(lines)))
    assert [files.names[i] for i in file] == names
    for i in range(len(lines)):
        assert files.place(i) == (file[i], within[i]) == (_NAMES.index(names[i]), names[:i].count(names[i]))
    part = files.part((2, 3))
    assert part.n_lines == (2, 4) and part.metadata["year"] == ("1998", "2010")


def test_a_table_describes_files_by_name_path_or_stem() -> None:
    data = b'speaker,file,age\n"Kim, J.",x/novel_1998_kim.txt,40\nLee,novel_2003_lee,\nPark,gone.txt,9\n'
    table = open_metadata(data, "meta.csv")
    files, odd = described(CorpusFiles.of(dict(zip(_NAMES, _SIZES, strict=True))), table)
    assert files.metadata == {"speaker": ("Kim, J.", "Lee", "", "", ""), "age": ("40", "", "", "", "")}
    assert [error.code for error in odd] == ["files.undescribed", "files.absent"]
    assert "gone.txt" in str(odd[1]) and "chat.txt" in odd[0].text("ko")
    # The names say what they say where both are wanted, and the table comes first.
    both, _ = described(files, table, "{register}_{year}")
    assert set(both.metadata) == {"speaker", "age", "register", "year"}
    # Two files in different folders: the last part of their paths does not say which one is meant.
    same = CorpusFiles.of({"a/x.txt": 1, "b/x.txt": 1})
    with pytest.raises(InputError, match="names none of the files"):
        described(same, MetadataTable(("x.txt",), {"n": ("1",)}))
    assert described(same, MetadataTable(("a/x.txt",), {"n": ("1",)}))[0].metadata == {"n": ("1", "")}


def test_patterns_of_names() -> None:
    assert name_fields("2001-kim-a.txt.gz", "{year}-{speaker}") == {"year": "2001", "speaker": "kim-a"}
    assert name_fields("corpus_x.txt", "corpus_{part}") == {"part": "x"}
    assert name_fields("other.txt", "corpus_{part}") == {}
    files, odd = described(CorpusFiles.of({"corpus_1.txt": 1, "b.txt": 1}), None, "corpus_{part}")
    assert files.metadata == {"part": ("1", "")} and odd[0].code == "files.unnamed"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: _files().choose({"register": ["poem"]}), "files.none"),
        (lambda: _files().choose({"register": ["novel"], "year": ["2010"]}), "files.none"),
        (lambda: _files().choose({"mood": ["novel"]}), "files.column"),
        (lambda: _files().rest(range(5)), "files.no_rest"),
        (lambda: parse_where(["register"]), "files.where"),
        (lambda: different_names(["a", "b", "a"]), "files.same_name"),
        (lambda: name_fields("a_b", "{x}{y}"), "files.pattern"),
        (lambda: name_fields("a_b", "{x}_{x}"), "files.pattern"),
        (lambda: name_fields("a_b", "plain"), "files.pattern"),
        (lambda: open_metadata(b"text", "a.txt"), "files.no_column"),
        (lambda: open_metadata(b"name,year\na,1\n", "a.csv"), "files.no_column"),
        (lambda: open_metadata(b"file,year\na,1\na,2\n", "a.csv"), "files.twice"),
        (lambda: open_metadata(b"file,year\n" + b"".join(b"%d,1\n" % i for i in range(10_001)), "a.csv"), "files.rows"),
        (lambda: described(_files(), MetadataTable(("z.txt",), {})), "files.unrelated"),
    ],
)
def test_odd_input_is_one_sentence(call: object, code: str) -> None:
    with pytest.raises(InputError) as caught:
        call()  # type: ignore[operator]
    assert caught.value.code == code
    assert all("\n" not in caught.value.text(language) for language in ("en", "ko"))
