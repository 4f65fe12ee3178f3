"""What the lessons' sources print for their BPE examples, and the end-of-word marks they use."""

from typing import NamedTuple


class LessonSource(NamedTuple):
    """The end-of-word mark (one of BPE's MARKS), and the first merges."""

    mark: str
    merges: tuple[tuple[str, str], ...]


# Of each method: the prefix of a symbol inside a word, the end-of-word mark, and whether this is attached to the last
# character or a separate symbol.
MARKS = {
    "bpe": {
        "symbol": ("", "_", "symbol"),
        "separate": ("", "</w>", "symbol"),
        "attached": ("", "</w>", "attached"),
        "none": ("", "", "attached"),
    },
    "wordpiece": {"hashes": ("##", "", "attached"), "none": ("", "", "attached"), "underscore": ("", "_", "symbol")},
}

# By the corpus' name in assets/corpora/toy.
SOURCES = {
    "low_slides": LessonSource(
        "symbol",
        (("e", "r"), ("er", "_"), ("n", "e"), ("ne", "w"), ("l", "o"), ("lo", "w"), ("new", "er_"), ("low", "_")),
    ),
    "low_lesson": LessonSource("separate", (("l", "o"), ("lo", "w"), ("e", "r"))),
    "low_textbook": LessonSource("none", (("e", "s"), ("es", "t"), ("l", "o"))),
    "hug": LessonSource("none", (("u", "g"), ("u", "n"), ("h", "ug"))),
}
