"""Command lines that do what a page does, with the same settings, to copy."""

import re
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import fields

from app import ROOT
from app.texts.corpora import Text
from engine.boundaries.language_model import DEFAULT_ORDER, DEFAULT_RULE
from engine.boundaries.utility import DEFAULT_LAMBDA, DEFAULT_TOTAL
from engine.config import TrainingSettings, chosen_settings, defaults_of, recipe_of

PROGRAM = "thunder-tok"
OWN_TEXT = "corpus.txt"  # placeholder for a text that is not a file
_MOST_TYPED = 1000  # characters of a text that a command contains


def train_command(
    source: Text,
    settings: TrainingSettings,
    output: str = "model.tok",
    names: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """`thunder-tok train` with all options that differ from the defaults; `names` as from `file_names`."""
    defaults = defaults_of(settings.algorithm)
    words = [PROGRAM, "train", *text_files(source, names), "--vocab-size", str(settings.vocab_size)]
    if settings.algorithm != TrainingSettings.algorithm:
        words += ["--algorithm", settings.algorithm]
    elif (recipe := recipe_of(settings)) and recipe != recipe_of(defaults):
        words += ["--preset", recipe]
        defaults = chosen_settings(settings.algorithm, recipe)
    for name in (field.name for field in fields(settings) if field.name not in ("algorithm", "vocab_size")):
        value = getattr(settings, name)
        if value == getattr(defaults, name):
            continue
        option = f"--{name.replace('_', '-')}"
        if name == "special_tokens":
            words += [f"--special-token={token}" for token in value]
        else:
            # One argument: a value may begin with a hyphen.
            words.append(option if value is True else f"{option}={value}")
    return shlex.join([*words, "--output", output])


def encode_commands(models: Sequence[str], text: str) -> list[str]:
    """`thunder-tok encode` of a text for each of these model files; a long text is in a file."""
    encode = [[PROGRAM, "encode", "--model", model] for model in models]
    if len(text) > _MOST_TYPED:
        return [shlex.join([*words, OWN_TEXT]) for words in encode]
    said = shlex.join(["printf", "%s", text])
    return [f"{said} | {shlex.join(words)}" for words in encode]


def lattice_command(model: str, text: str, number: int | None) -> str:
    """`thunder-tok lattice` of a text, in a round of pruning."""
    words = [PROGRAM, "lattice", "--model", model, f"--text={text}"]
    return shlex.join(words if number is None else [*words, f"--round={number}"])


def fertility_command(
    models: Sequence[str], texts: Sequence[Text], definition: str, names: Mapping[str, Sequence[str]] | None = None
) -> str:
    files = [path for text in texts for path in text_files(text, names)]
    return shlex.join([PROGRAM, "fertility", "--model", *models, "--text", *files, "--words", definition])


def keyness_command(text: Text, first: Sequence[int], second: Sequence[int], unit: str, models: Sequence[str]) -> str:
    files = text_files(text)
    words = [PROGRAM, "keyness", *(files[i] for i in first), "--against", *(files[i] for i in second)]
    return shlex.join([*words, "--unit", unit] if not models else [*words, "--model", *models])


def concordance_command(
    text: Text, model: str, options: Mapping[str, object], names: Mapping[str, Sequence[str]] | None = None
) -> str:
    """`thunder-tok concordance` of a text, with options by name such as `query`; `names` as from `file_names`."""
    return _search("concordance", text_files(text, names), model, options)


def collocates_command(
    text: Text, model: str, options: Mapping[str, object], names: Mapping[str, Sequence[str]] | None = None
) -> str:
    """`thunder-tok collocates` in a text; the rest as for `concordance_command`."""
    return _search("collocates", text_files(text, names), model, options)


def _search(command: str, files: Sequence[str], model: str, options: Mapping[str, object]) -> str:
    said = [f"--{name}={value}" for name, value in options.items()]  # one argument: a value may begin with a hyphen
    return shlex.join([PROGRAM, command, *files, "--model", model, *said])


def morphology_command(models: Sequence[str], gold: str) -> str:
    return shlex.join([PROGRAM, "morphology", "--model", *models, "--gold", _file(gold)])


def segment_command(
    texts: Sequence[Text], method: str, lam: float, size: int | None, settings: tuple[str, bool, int, str]
) -> str:
    """`thunder-tok segment` for a gold file and a training text, with the options that apply to the method.

    Parameters
    ----------
    texts : the gold text and the training text.
    size : vocabulary size of the inner BPE; None without BPE.
    settings : T, whether edges count, the order, and the rule.
    """
    names = file_names(texts)
    gold, train = (own[0] if len(own := names[text.id]) == 1 else OWN_TEXT for text in texts)
    total, edges, order, rule = settings
    words = [PROGRAM, "segment", gold, "--gold", gold, "--train", train, "--method", method]
    if method == "pmi-entropy":
        words += [f"--lambda={lam:g}"] * (lam != DEFAULT_LAMBDA) + [f"--total={total}"] * (total != DEFAULT_TOTAL)
    if method == "lm-entropy":
        words += [f"--order={order}"] * (order != DEFAULT_ORDER) + [f"--rule={rule}"] * (rule != DEFAULT_RULE)
    words += ["--no-edges"] * (not edges and method != "none")
    return shlex.join(words if size is None else [*words, f"--bpe-vocab-size={size}"])


def text_files(text: Text, names: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """The files of a text: built-in ones relative to the project, a visitor's under the name from `names`."""
    names = names or file_names([text])
    builtin = [path.relative_to(ROOT) if path.is_relative_to(ROOT) else path for path in text.paths]
    return [path.as_posix() for path in builtin] or [*names[text.id]]


def file_names(texts: Iterable[Text]) -> dict[str, list[str]]:
    """Names of the files of the visitor's own texts, by id: as they are, duplicates numbered (`corpus-2.txt`).

    A text whose name has no extension, because it is not a file, is called OWN_TEXT.
    """
    names: dict[str, list[str]] = {}
    taken: set[str] = set()
    for text in texts:
        if text.paths or text.id in names:
            continue
        names[text.id] = []
        for own in text.files().names:
            own = _part_name(own) or (own if re.search(r"\.\w+$", own) else OWN_TEXT)
            name = _unlike(taken, _file(own))
            taken.add(name)
            names[text.id].append(name)
    return names


def _part_name(part: str) -> str:
    """`chat_2014.txt` for the part `reviews.csv: chat, 2014` of a table, of which it says as much; else empty."""
    values = part.partition(": ")[2].replace(", ", "_")
    return re.sub(r"[^\w.-]", "_", values) + ".txt" if values else ""


def _unlike(taken: Container[str], name: str) -> str:
    stem, dot, ending = name.rpartition(".") if name.startswith(".") else name.partition(".")
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}{dot}{ending}"
    return name


def _file(name: str) -> str:
    """A name that cannot be taken for an option."""
    return f"./{name}" if name.startswith("-") else name
