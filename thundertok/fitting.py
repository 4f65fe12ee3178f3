"""Changing a vocabulary; the command `fit` as a function."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from engine.corpus.reading.read import read_lines
from engine.fit.changed import ChangedVocabulary, as_editable, change_vocabulary, open_editable
from engine.fit.editable import Editable
from engine.fit.id_map import check_map_name, write_map
from engine.interop.imported.tokenizer import Imported
from engine.machine.atomic_file import write_whole
from engine.measure.fertility_table import fertility_rows
from thundertok.corpora import Texts, as_texts
from thundertok.measuring import FertilityComparison
from thundertok.models import LoadedModel, ModelLike
from thundertok.showing import showable


class FittedVocabulary:
    """A tokenizer with a changed vocabulary.

    Attributes
    ----------
    model : the new tokenizer.
    comparison : its tokens per word and those of the old one, on the texts given.
    new_id_of_old, ptr, old_ids : the map of ids, `old_ids[ptr[i]:ptr[i + 1]]` those of the text of new id i (int64).
    """

    def __init__(self, before: LoadedModel, changed: ChangedVocabulary, texts: dict[str, list[str]]) -> None:
        self._before, self._changed = before, changed
        self.model = LoadedModel(changed.tokenizer, f"{before.reference}, changed")
        self.new_id_of_old, self.ptr, self.old_ids = changed.id_map
        models = [(one.reference, one.tokenizer) for one in (before, self.model)]
        self.comparison = FertilityComparison(fertility_rows(models, texts))

    def added(self) -> pd.DataFrame:
        """A row per new token: `id`, `token`, and `listed`: false for what only a listed token is merged from."""
        ids = self._changed.added.tolist()
        listed = self._changed.listed
        named = [listed is None or i in listed.texts for i in ids]
        return pd.DataFrame({"id": ids, "token": _labels(self.model, ids), "listed": named})

    def removed(self) -> pd.DataFrame:
        """A row per token that is gone: its old `id`, and the `token`."""
        ids = self._changed.removed.tolist()
        return pd.DataFrame({"id": ids, "token": _labels(self._before, ids)})

    def left_out(self) -> pd.DataFrame:
        """A row per listed token that was not added: its `line`, from 1, and the `reason`."""
        errors = self._changed.listed.left_out if self._changed.listed else {}
        return pd.DataFrame({"line": list(errors), "reason": [showable(str(error)) for error in errors.values()]})

    def save(self, path: str | Path, map_path: str | Path | None = None) -> None:
        """Write the tokenizer in the format it came from, and the map of ids as `.csv` or `.npz`.

        Raises
        ------
        InputError : a file cannot be written, or the map's name ends otherwise.
        """
        if map_path is not None:
            check_map_name(str(map_path))
        write_whole(path, self._changed.data)
        if map_path is not None:
            write_map(str(map_path), self._changed.id_map, self._changed.tokenizer)

    def __repr__(self) -> str:
        added, removed, report = self._changed.added.size, self._changed.removed.size, self._changed.report
        change = f"{self.model.reference}: {added:,} tokens added, {removed:,} removed"
        left_out = f", {len(self.left_out()):,} of the list left out" if self._changed.listed else ""
        return showable(f"{change}{left_out}; {report.checked_lines:,} lines checked with {report.library}")

    def _repr_html_(self) -> str | None:
        return self.comparison._repr_html_() if self.comparison.rows else None


def fit(
    model: ModelLike,
    texts: Texts = (),
    *,
    extend: int | None = None,
    add: str | Path | Sequence[str] | None = None,
    trim: int | None = None,
    trim_unused: bool = False,
    other: Texts = (),
    min_count: int = 2,
    renumber: bool = False,
    pattern: str | None = None,
    column: str | None = None,
    encoding: str | None = None,
) -> FittedVocabulary:
    """Add tokens to a vocabulary or remove some, and see what it costs; exactly one of the four changes is given.

    The library of the file's format encodes a sample of the texts and thousands of fuzz lines with the new file.

    Parameters
    ----------
    model : as of `load`.
    texts : lines, files, or a mapping of names to them, that the vocabulary is to fit.
    extend : add up to so many tokens, by merging on from the tokenizer's own merges.
    add : add these tokens: a list, or a text file with one on each line. One that follows a space begins with it.
    trim : remove tokens until so many are left, those least used on the texts first.
    trim_unused : remove what the texts neither use nor pass through while merging.
    other : texts to measure only.
    min_count : the least count of a merged pair.
    renumber : close the gaps in the ids that removed tokens leave.
    pattern, column, encoding : as of `load` and `compare`.

    Raises
    ------
    InputError : the vocabulary cannot be changed so, a text is missing, or a line differs in the format's library.

    Examples
    --------
    >>> made = fit("public:gpt2", add=["tokenizers", "the"])
    >>> made.model.encode("tokenizers").ids, made.old_ids[made.ptr[50257]:].tolist()
    ([50257], [30001, 11341])
    >>> made.left_out()["reason"].tolist()
    ["'the' is in the vocabulary already"]
    """
    before, editable = _opened(model, pattern)
    own = as_texts(texts, column, encoding)
    changed = change_vocabulary(
        editable,
        [line for lines in own.values() for line in lines],
        extend=extend,
        add=read_lines(add, "utf-8") if isinstance(add, str | Path) else add,
        trim=trim,
        trim_unused=trim_unused,
        min_count=min_count,
        renumbers=renumber,
    )
    measured = {name: lines for name, lines in (own | as_texts(other, column, encoding)).items() if lines}
    return FittedVocabulary(before, changed, measured)


def _opened(model: ModelLike, pattern: str | None) -> tuple[LoadedModel, Editable]:
    if isinstance(model, LoadedModel) and not isinstance(model.tokenizer, Imported):
        return model, as_editable(model.tokenizer)
    if isinstance(model, str | Path | LoadedModel):
        reference = model.reference if isinstance(model, LoadedModel) else model
        editable = open_editable(reference, pattern)
        return LoadedModel(editable.tokenizer, str(reference)), editable
    return LoadedModel(model), as_editable(model)


def _labels(model: LoadedModel, ids: list[int]) -> list[str]:
    return [showable(model.tokenizer.token_label(i)) for i in ids]
