"""Built-in corpora, and texts that a session holds."""

import pytest

from app.corpora import MAX_HELD, Source, builtin_source, find_source, held_digest, hold, registers, text_source
from engine.errors import InputError


def test_the_whole_collection_is_named_shortly() -> None:
    names = tuple(registers("ko"))
    assert builtin_source("ko").id == "ko"
    assert builtin_source("ko", names[::-1]).id == "ko"
    assert builtin_source("ko", names[:2]).id == ".".join(("ko", *sorted(names[:2])))


def test_a_source_is_found_by_its_id() -> None:
    some = builtin_source("ko", tuple(registers("ko"))[:2])
    assert find_source(some.id, {}) == some
    own = text_source("우리 글\n", "글.txt")
    assert find_source(own.id, {}) is None
    assert find_source(own.id, {own.id: own}) == own
    assert held_digest(own.id) == own.digest
    assert held_digest("ko") == ""


@pytest.mark.parametrize("source_id", ["zz", "ko.zz", "ko.../../x", ".", "text", ""])
def test_unknown_sources_are_none(source_id: str) -> None:
    assert find_source(source_id, {}) is None


def test_unknown_registers_are_refused() -> None:
    with pytest.raises(InputError, match="choose one from the list"):
        builtin_source("ko", ("zz",))


def test_files_of_a_collection_join_at_line_ends() -> None:
    names = tuple(registers("ko"))[:2]
    parts = [builtin_source("ko", (name,)) for name in names]
    assert builtin_source("ko", names).n_lines == sum(part.n_lines for part in parts)


def test_a_session_keeps_its_newest_texts() -> None:
    held: dict[str, Source] = {}
    sources = [text_source(f"글 {number}") for number in range(MAX_HELD + 1)]
    for source in (*sources[:2], sources[0], *sources[2:]):
        hold(source, held)
    assert list(held) == [sources[0].id, *(source.id for source in sources[2:])]


def test_counts() -> None:
    source = text_source("한 줄\n\n두 번째 줄\n")
    assert (source.n_lines, source.n_words, source.n_chars) == (2, 5, 12)
