"""What a page does, as a command to copy: the same settings on the command line."""

import shlex
from collections.abc import Sequence
from dataclasses import fields, replace

from app import ROOT
from app.texts.corpora import Text
from engine.config import RECIPES, TrainingSettings, defaults_of, recipe_of

PROGRAM = "thunder-tok"
OWN_TEXT = "corpus.txt"  # stands for a text of the visitor's own


def train_command(source: Text, settings: TrainingSettings, output: str = "model.tok") -> str:
    """`thunder-tok train` with the options that are not the default ones."""
    defaults = defaults_of(settings.algorithm)
    words = [PROGRAM, "train", *text_files(source), "--vocab-size", str(settings.vocab_size)]
    if settings.algorithm != TrainingSettings.algorithm:
        words += ["--algorithm", settings.algorithm]
    elif (recipe := recipe_of(settings)) and recipe != recipe_of(defaults):
        words += ["--preset", recipe]
        defaults = replace(defaults, **RECIPES[recipe])
    for name in (field.name for field in fields(settings) if field.name not in ("algorithm", "vocab_size")):
        value = getattr(settings, name)
        if value == getattr(defaults, name):
            continue
        option = f"--{name.replace('_', '-')}"
        if name == "special_tokens":
            words += [f"--special-token={token}" for token in value]
        else:
            # One word: a value may begin with a hyphen.
            words.append(option if value is True else f"{option}={value}")
    return shlex.join([*words, "--output", output])


def fertility_command(models: Sequence[str], texts: Sequence[Text], definition: str) -> str:
    """`thunder-tok fertility` of these model files on these texts."""
    files = [path for text in texts for path in text_files(text)]
    return shlex.join([PROGRAM, "fertility", "--model", *models, "--text", *files, "--words", definition])


def text_files(text: Text) -> list[str]:
    """The files of a text, from the project's folder."""
    return [path.relative_to(ROOT).as_posix() for path in text.paths] or [OWN_TEXT]
