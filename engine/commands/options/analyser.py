"""The options that say how a morphological analyser works, the same in every command that analyses a text."""

import argparse

from engine.corpus.morphemes.analysers import ANALYSERS, KIWI
from engine.corpus.morphemes.morpheme import AnalyserSettings
from engine.corpus.morphemes.user_dictionary import read_user_dictionary
from engine.errors import InputError


def add_analyser_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--user-dictionary` and `--correct`."""
    parser.add_argument(
        "--user-dictionary",
        metavar="FILE",
        help="words that the analyser's dictionary lacks: form, tag and, if needed, Kiwi's score or MeCab's cost; two "
        "or three columns separated by tabs or commas, where ␣ is a space",
    )
    parser.add_argument(
        "--correct",
        action="store_true",
        help=f"let {ANALYSERS[KIWI].name} read misspelled words and wrong spaces as correct ones (default: as written)",
    )


def analyser_settings(options: argparse.Namespace, analyser: str | None) -> AnalyserSettings:
    """The settings that the options give an analyser, a key of ANALYSERS.

    Raises
    ------
    InputError : no analyser is used, or MeCab is to correct; or the user dictionary is refused.
    """
    if (options.user_dictionary or options.correct) and analyser not in ANALYSERS:
        raise InputError("user_dictionary.unused", programs=", ".join(ANALYSERS))
    if options.correct and analyser != KIWI:
        raise InputError("analyser.correct", program=ANALYSERS[KIWI].name)
    if analyser is None or options.user_dictionary is None:
        return AnalyserSettings(corrects=options.correct)
    tags = ANALYSERS[analyser].user_tags
    return AnalyserSettings(read_user_dictionary(options.user_dictionary, tags), options.correct)
