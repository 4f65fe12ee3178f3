"""The seed vocabulary: which forms are candidates (Thunder-Tok paper, section 3.2), and the safe subset."""

from itertools import accumulate, product

import pytest

from engine import training
from engine.config import N_BYTES, TrainingSettings
from engine.corpus.pretokens.presets import PRESETS, boundary_safe_mask
from engine.errors import InputError
from engine.pretokenization import get_pretokenizer
from engine.unigram.model.levels import is_multi_word, is_punctuated_word, level_of
from engine.unigram.train.seed import build_seed
from engine.unigram.train.trainer import build_corpus


def seed_tokens(lines: list[str], **settings: object) -> set[str]:
    """Candidates above the bytes."""
    chosen = TrainingSettings(**settings)  # type: ignore[arg-type]
    corpus = build_corpus(lines, chosen)
    seed, _, _ = build_seed(corpus, chosen, tokens=training.seed_tokens(corpus.pretokens, chosen))
    tokens = [seed.blob[a:b].tobytes() for a, b in zip(seed.ptr[:-1], seed.ptr[1:], strict=True)]
    assert tokens[:N_BYTES] == [bytes([byte]) for byte in range(N_BYTES)]
    assert tokens[N_BYTES:] == sorted(set(tokens[N_BYTES:]))
    return {token.decode() for token in tokens[N_BYTES:]}


def test_only_linguistic_forms_are_candidates() -> None:
    tokens = seed_tokens(["cups of coffee", "cups of coffee", "안녕 하세요.", "안녕 하세요."])
    assert {"cups", " of", " of coffee", "offee", "안녕", " 하세요.", "요."} <= tokens
    assert not tokens & {"s of c", " of c", "s of", "of coffee", "cups of", "cups of coffee", " of ", "cups "}
    assert not any(token != " " and (token.endswith(" ") or "  " in token) for token in tokens)


def test_joined_numbers_are_parts_of_words_and_phrases() -> None:
    lines = ["커피 2잔 2025년.", "커피 2잔 2025년."]
    joined = seed_tokens(lines, pretokenizer="thunder-tok-joined")
    assert {"2잔", " 2잔", "2025", " 2025년", " 2025년.", " 2잔 2025년."} <= joined
    assert not any(" " in token.strip() and not token.startswith(" ") for token in joined)
    assert not {"2잔", " 2025년"} & seed_tokens(lines)


def test_every_substring_is_a_candidate_of_the_ablation() -> None:
    tokens = seed_tokens(["cups of coffee"] * 2, seed_vocabulary="ngrams")
    assert {"s of c", " of c", "cups of coffee"} <= tokens


def test_a_right_branching_candidate_is_followed_by_different_symbols() -> None:
    lines = ["나는 할 수 있다.", "너는 할 수 있어.", "우리 할 수 있고"] * 2
    tokens = seed_tokens(lines, seed_vocabulary="right-branching")
    assert " 할 수" in tokens and " 할 수 있" not in tokens  # 할 수 is always followed by 있, which branches
    assert {"는", " 있"} & tokens == {" 있"}  # 는 is always followed by 할
    assert {"는 할", " 할 수 있다.", "있다."}.isdisjoint(tokens)  # the end of one pre-token is no choice
    assert "있다." in seed_tokens([*lines, "또 있다."], seed_vocabulary="right-branching")
    assert tokens < seed_tokens(lines)


def test_bpe_chooses_as_many_whole_tokens_as_asked_for() -> None:
    lines = ["가나다라마바", "가나다라", "가나다", "가나"] * 2
    characters = {"가", "나", "다", "라", "마", "바"}
    options: dict[str, object] = {"seed_vocabulary": "bpe", "seed_factor": 2.0}
    expected: dict[int, set[str]] = {128: set(), 129: {"가나", "가나다"}}
    for vocab_size, merged in expected.items():  # twice as many tokens, of which 256 are bytes, and the characters
        assert seed_tokens(lines, **options, vocab_size=vocab_size) == characters | merged, vocab_size
    every = seed_tokens(lines, **options, vocab_size=999)
    assert "가나다라마바" in every and not every & {"나다", "다라", "라마바"}


def test_bpe_chooses_nothing_that_an_export_could_not_hold() -> None:
    lines = ["말은 3.14다. 또 3.14다."] * 3
    options = {"seed_vocabulary": "bpe", "vocab_size": 500, "sentencepiece_safe": True, "pretokenizer": "gpt2"}
    tokens = seed_tokens(lines, **options)
    assert tokens <= seed_tokens(lines, **options | {"sentencepiece_safe": False})
    assert boundary_safe_mask(sorted(tokens), "gpt2").all()


def test_a_phrase_counts_only_where_its_last_word_is_complete() -> None:
    once = seed_tokens(["할 수 있는 말", "할 수 있다"])
    assert " 수 있" not in once
    twice = seed_tokens(["할 수 있 말", "할 수 있"])
    assert " 수 있" in twice


def test_candidates_occur_often_enough_and_are_short_enough() -> None:
    lines = ["가나다라마바사아자차카타파하"] * 3 + ["희귀"]
    tokens = seed_tokens(lines, min_count=3, max_token_bytes=9)
    assert "희" not in tokens
    assert max(len(token.encode()) for token in tokens) == 9
    assert len(seed_tokens(lines, min_count=3, max_seed=5)) == 5


def test_parts_of_characters_only_on_demand() -> None:
    from engine.unigram.train.trainer import train

    lines = ["각갂간갃간갅갆갇갈갉"] * 4
    settings = TrainingSettings(vocab_size=262, partial_characters=True)
    model = train(build_corpus(lines, settings), settings)
    assert b"\xea\xb0" in model.tokens
    assert model.decode(model.encode(lines[0] + "뷁").ids) == lines[0] + "뷁"
    assert (
        b"\xea\xb0"
        not in train(build_corpus(lines, TrainingSettings(vocab_size=262)), TrainingSettings(vocab_size=262)).tokens
    )


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "none"])
def test_no_boundary_cuts_a_safe_token(name: str) -> None:
    contexts = ["", " ", "'", ".", "가", "s", "1", "  ", "!", "'s", "é"]
    candidates = [
        "가",
        " 가",
        "가.",
        "가나 다",
        " 가 나.",
        "sally",
        " sally",
        "re",
        "s1",
        "12",
        " 12",
        "2잔",
        " 2025년",
        "2025년 3월.",
        "12.",
        "..",
        ",.",
        " ..",
        "a'",
        "',",
        ". ",
        "  ",
        "한?!",
        "'ll",
        "…",
    ]
    safe = boundary_safe_mask(candidates, name)
    assert safe.any() and not safe.all()
    split = get_pretokenizer(name).split
    for token, is_safe in zip(candidates, safe, strict=True):
        for before in contexts:
            for after in contexts:
                ends, at = set(), 0
                for piece in split(before + token + after):
                    at += len(piece)
                    ends.add(at)
                cut = any(len(before) < end < len(before) + len(token) for end in ends)
                assert not (is_safe and cut), (token, before, after)


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "none"])
def test_no_short_token_that_a_boundary_cuts_somewhere_is_safe(name: str) -> None:
    split = get_pretokenizer(name).split
    cut: set[str] = set()
    for text in map("".join, product("'lerd. 가", repeat=5)):
        ends = [*accumulate(map(len, split(text)))][:-1]
        cut |= {text[a:b] for end in ends for a in range(end) for b in range(end + 1, 6) if b - a <= 3}
    candidates = sorted(cut)
    safe = boundary_safe_mask(candidates, name)
    assert not safe.any(), [token for token, is_safe in zip(candidates, safe, strict=True) if is_safe]


def test_a_pattern_of_ones_own_has_no_known_safe_tokens() -> None:
    with pytest.raises(InputError, match="named pre-tokenizers"):
        boundary_safe_mask(["가"], r"\p{L}+")


def test_levels_follow_the_form() -> None:
    assert [level_of(token.encode()) for token in ("a", "가", " ", "가나", " 가", " 할 수", "다.")] == [
        "character",
        "character",
        "character",
        "word",
        "word",
        "phrase",
        "word",
    ]
    assert [level_of(token.encode()) for token in ("2", "2잔", " 2025년", " 2잔 더")] == [
        "character",
        "word",
        "word",
        "phrase",
    ]
    assert level_of(b"\xec\x95") == "byte"
    assert is_multi_word(" 수 있는".encode()) and not is_multi_word(" 수".encode())
    assert is_punctuated_word("다.".encode()) and is_punctuated_word(b" 2025.") and not is_punctuated_word(b"..")
