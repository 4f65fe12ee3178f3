"""Built-in corpora, and texts that a session holds."""

import pytest

from app.server.held_texts import MAX_HELD, HeldTexts, checked_text, hold, touch_texts
from app.server.limits import LimitError, Limits
from app.server.memory import Budget
from app.texts.corpora import builtin_corpus, held_digest, registers
from app.texts.find import find_text
from engine.errors import InputError


def test_the_whole_collection_is_named_shortly() -> None:
    names = tuple(registers("ko"))
    assert builtin_corpus("ko").id == "ko"
    assert builtin_corpus("ko", names[::-1]).id == "ko"
    assert builtin_corpus("ko", names[:2]).id == ".".join(("ko", *sorted(names[:2])))


def test_a_source_is_found_by_its_id() -> None:
    some = builtin_corpus("ko", tuple(registers("ko"))[:2])
    assert find_text(some.id, {}) == some
    own = checked_text("우리 글\n", "글.txt")
    assert find_text(own.id, {}) is None
    assert find_text(own.id, {own.id: own}) == own
    assert held_digest(own.id) == own.digest
    assert held_digest("ko") == ""


@pytest.mark.parametrize("source_id", ["zz", "ko.zz", "ko.../../x", ".", "text", ""])
def test_unknown_sources_are_none(source_id: str) -> None:
    assert find_text(source_id, {}) is None


def test_unknown_registers_are_refused() -> None:
    with pytest.raises(InputError, match="choose one from the list"):
        builtin_corpus("ko", ("zz",))


def test_files_of_a_collection_join_at_line_ends() -> None:
    names = tuple(registers("ko"))[:2]
    parts = [builtin_corpus("ko", (name,)) for name in names]
    assert builtin_corpus("ko", names).n_lines == sum(part.n_lines for part in parts)


def test_a_session_keeps_its_newest_texts() -> None:
    held = HeldTexts()
    sources = [checked_text(f"글 {number}") for number in range(MAX_HELD + 1)]
    for source in (*sources[:2], sources[0], *sources[2:]):
        hold(source, held)
    assert list(held) == [sources[0].id, *(source.id for source in sources[2:])]


def test_texts_of_all_sessions_are_bounded_those_unused_for_longest_go_first() -> None:
    budget = Budget(4 * 30)
    sessions = [HeldTexts() for _ in range(3)]
    for held in (*sessions, sessions[0]):
        hold(checked_text("열 글자인 글 하나."), held)  # equal texts of different sessions count each
        touch_texts(held, budget)
    hold(checked_text("열다섯 글자쯤 되는 글이다."), sessions[0])
    touch_texts(sessions[0], budget)
    assert [len(held) for held in sessions] == [2, 0, 0]
    hold(checked_text("긴 글 " * 100), sessions[1])
    touch_texts(sessions[1], budget)
    assert [len(held) for held in sessions] == [0, 1, 0]  # whoever is at work keeps what is there
    del held, sessions
    touch_texts(HeldTexts(), budget)
    assert not budget._entries


def test_a_text_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.limits.limits", lambda: Limits(corpus_mb=1))
    checked_text("x" * 1_000_000)
    with pytest.raises(LimitError, match="THUNDER_TOK_MAX_CORPUS_MB is 1"):
        checked_text("가" * 400_000)


def test_counts() -> None:
    source = checked_text("한 줄\n\n두 번째 줄\n")
    assert (source.n_lines, source.n_words, source.n_chars) == (2, 5, 12)
