"""The exercises of the sources, each with the computation that answers it live.

Their texts are `exercises.<id>.ask` and `exercises.<id>.answer` in the catalogue; every number in an answer is
computed when shown. tests/app/views/test_exercises.py computes them independently.
"""

from typing import NamedTuple

# Sources: a textbook, an interactive lesson, lecture slides.
SECTION, LESSON, SLIDES = "section", "lesson", "slides"


class Trace(NamedTuple):
    """Merges on a few words, and a word to segment with them.

    Parameters
    ----------
    words : with their counts, `ab:3 bc:2`.
    algorithm : bpe or wordpiece.
    n_merges : number of merges shown.
    end_of_word : end-of-word mark, a separate symbol; "" for none.
    word : segmented with the merges; "" for none.
    """

    words: str
    algorithm: str
    n_merges: int
    end_of_word: str = ""
    word: str = ""


class Exercise(NamedTuple):
    """One question.

    Parameters
    ----------
    id : as in the catalogue.
    source : SECTION, LESSON or SLIDES.
    page : the page to continue on.
    texts : segmented by the public tokenizers, one set of strips each.
    traces : merges that answer it.
    unigram : words with counts, and a word whose segmentations under a Unigram model of their substrings answer it.
    """

    id: str
    source: str
    page: str
    texts: tuple[str, ...] = ()
    traces: tuple[Trace, ...] = ()
    unigram: tuple[str, str] | None = None


_LOWEST = "low:5 lower:2 newest:6 widest:3"
_HUGS = "hug:10 pug:5 pun:12 bun:4 hugs:5"

# In the order of the sources: the textbook section (self-checks, then exercises), the experiments of the interactive
# lesson, the slides' list of things a model cannot do.
EXERCISES = {
    one.id: one
    for one in (
        Exercise("bpe_rule", SECTION, "learn_bpe", traces=(Trace(_LOWEST, "bpe", 3),)),
        Exercise(
            "wordpiece_rule", SECTION, "learn_bpe", traces=(Trace(_LOWEST, "bpe", 1), Trace(_LOWEST, "wordpiece", 1))
        ),
        Exercise("unigram_gain", SECTION, "learn_unigram", unigram=(_HUGS, "hugs")),
        Exercise("all_bytes", SECTION, "learn_bytes", ("쀍 😀",)),
        Exercise("trace", SECTION, "learn_bpe", traces=(Trace("ab:3 bc:2", "bpe", 3, "</w>", "abc"),)),
        Exercise("byt5", SECTION, "learn_tradeoff", ("토크나이저를 바꾸면 길이가 달라집니다.",)),
        Exercise(
            "three_rules",
            SECTION,
            "compare",
            traces=(Trace(_HUGS, "bpe", 2), Trace(_HUGS, "wordpiece", 2)),
            unigram=(_HUGS, "pugs"),
        ),
        Exercise("mixed_corpus", SECTION, "growth", ("分词器的训练语料以英文代码为主。",)),
        Exercise("mini_bpe", SECTION, "learn_bpe", traces=(Trace(_LOWEST, "bpe", 3, "", "lowest"),)),
        Exercise(
            "four_failures",
            SECTION,
            "learn_failures",
            ("read_user_profile_from_cache", "1024 + 2048", "<|endoftext|>", "paypal", "pаypаl"),
        ),
        Exercise("language", LESSON, "cost", ("I love programming", "나는 프로그래밍을 좋아합니다")),
        Exercise("code", LESSON, "learn_failures", ('def hello(): return "world"', "def zqxv_77k(): return qwrtz")),
        Exercise("emoji", LESSON, "learn_bytes", ("😀🎉🚀",)),
        Exercise("scripts", LESSON, "explore", ("Hello こんにちは Bonjour",)),
        Exercise("spell", SLIDES, "explore", ("How many r are in strawberry?", " strawberry")),
        Exercise("reverse", SLIDES, "explore", (" lollipop", "l-o-l-l-i-p-o-p")),
        Exercise("languages", SLIDES, "cost", ("Good morning, everyone.", "みなさん、おはようございます。")),
        Exercise("arithmetic", SLIDES, "learn_failures", ("127 + 677 = 804", "1275 + 6773 = 8048")),
        Exercise("python", SLIDES, "learn_failures", ("if ok:\n        return value",)),
        Exercise("halt", SLIDES, "learn_failures", ("<|endoftext|>", "< |endoftext| >")),
        Exercise("trailing", SLIDES, "learn_failures", ("Once upon a time", "Once upon a time ")),
        Exercise("magikarp", SLIDES, "learn_failures", (" SolidGoldMagikarp",)),
        Exercise("yaml", SLIDES, "learn_failures", ('{"name": "Kim", "age": 20}', "name: Kim\nage: 20")),
        Exercise("end_to_end", SLIDES, "lattice", ("tokenization",), unigram=(_HUGS, "hugpun")),
    )
}
