"""Built-in corpora, and texts that a session holds."""

import numpy as np
import pytest

from app.parts.tables.fertility import cost_by_file
from app.server.limits import LimitError, Limits
from app.server.memory import Budget
from app.server.stored_texts import Dropped, HeldTexts, checked_text, hold, touch_texts
from app.texts.corpora import Text, builtin_corpus, held_digest, own_text, registers
from app.texts.mixture import find_text
from engine.corpus.files import CorpusFiles
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


def _text(name: str, megabytes: float) -> Text:
    return checked_text(name[0] * int(megabytes * 1_000_000), name)


def test_a_session_keeps_texts_up_to_a_size_and_says_which_went(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(corpus_mb=1))  # three a session
    held = HeldTexts()
    small = [checked_text(f"글 {number}") for number in range(20)]
    for source in (*small, first := _text("a.txt", 1), second := _text("b.txt", 1), first):
        hold(source, held)
    assert len(held) == 22 and not held.dropped
    hold(_text("c.txt", 1), held)  # the oldest go: of the small ones as few as need be
    assert list(held) == [second.id, first.id, _text("c.txt", 1).id]
    assert set(held.dropped) == {source.id for source in small}
    hold(_text("d.txt", 1), held)
    assert held.dropped[second.id] == Dropped("b.txt", 1_000_000)
    hold(second, held)
    assert second.id in held and second.id not in held.dropped


def test_the_text_of_a_model_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(corpus_mb=1))
    held = HeldTexts()
    of_model, of_training = _text("m.txt", 1), _text("t.txt", 1)
    held.needed = {of_model.id, of_training.id}
    for source in (of_model, of_training, *(_text(f"{letter}.txt", 1) for letter in "abc")):
        hold(source, held)
    assert [source.name for source in held.values()] == ["m.txt", "t.txt", "c.txt"]
    assert [one.name for one in held.dropped.values()] == ["a.txt", "b.txt"]


def test_of_all_visitors_texts_those_that_models_need_go_last() -> None:
    budget, mine, yours = Budget(4 * 30), HeldTexts(), HeldTexts()
    needed, other = checked_text("나" * 10, "나"), checked_text("다" * 10, "다")
    for source in (needed, other):
        hold(source, mine)
    mine.needed = {needed.id}
    touch_texts(mine, budget)
    hold(checked_text("가" * 20), yours)
    touch_texts(yours, budget)
    assert list(mine) == [needed.id] and mine.dropped == {other.id: Dropped("다", 30)}


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


def test_a_part_of_a_corpus_is_a_text_of_its_files() -> None:
    whole = builtin_corpus("ko")
    files = whole.files()
    chosen = files.choose({"register": ["news", "chat"]})
    assert whole.part(chosen) == builtin_corpus("ko", ("chat", "news"))
    assert whole.part(range(len(files))) == whole
    everything = builtin_corpus("all")
    part = everything.part(everything.files().choose({"collection": ["multi"], "register": ["en", "de"]}))
    assert part.lines() == builtin_corpus("multi", ("de", "en")).lines()
    own = own_text("가\n나\n다", "a.txt + 1", CorpusFiles.of({"a.txt": 2, "b.txt": 1}, {"year": ("1998", "2003")}))
    part = own.part(own.files().choose({"year": ["2003"]}))
    assert (part.read(), part.name, part.files().names) == ("다\n", "b.txt", ("b.txt",))
    assert part.id == own_text("다\n").id != own.id
    assert own_text("가\n나").files().names == ("",)


def test_sentences_are_of_files_too() -> None:
    files = CorpusFiles.of({"a.txt": 3, "b.txt": 2, "c.txt": 1}, {"year": ("1998", "", "2003")})
    own = own_text("가\n\n나\n\n\n다", "a.txt + 2", files)
    found = own.sentence_files()
    assert (found.names, found.n_lines, found.metadata) == (files.names, (2, 0, 1), files.metadata)
    assert [own.sentences()[i] for i in range(3)] == ["가", "나", "다"]
    # Tokens and words of each sentence.
    table = cost_by_file(np.array([[3, 2], [4, 1], [5, 2]]), found)
    assert table[["file", "lines", "tokens", "words", "fertility"]].to_numpy().tolist() == [
        ["a.txt", 2, 7, 3, 7 / 3],
        ["c.txt", 1, 5, 2, 2.5],
    ]
    assert table["low"].notna().tolist() == [True, False]
