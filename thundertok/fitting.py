"""Changing a vocabulary; the command `fit` as a function."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.corpus.reading.read import read_lines
from engine.fit.changed import ChangedVocabulary, as_editable, change_vocabulary, open_editable
from engine.fit.id_map import map_bytes, map_ending
from engine.fit.seen import changes
from engine.interop.imported.tokenizer import Imported
from engine.machine.atomic_file import write_whole
from engine.tokenizer import Tokenizer
from thundertok.corpora import Texts, as_texts, checked
from thundertok.measuring import FertilityComparison
from thundertok.models import LoadedModel, ModelLike


@checked
class FittedVocabulary:
    """A tokenizer with a changed vocabulary.

    Attributes
    ----------
    model : the new tokenizer.
    fields : what the command prints as JSON: tokens that were `added` and `removed`, what a list `left_out`, and the
        `curve` of sizes between none and all of the learned tokens.
    comparison : tokens per word of the texts before and after.
    id_map : `old_ids[ptr[i]:ptr[i + 1]]` are those of the text of new id i, `new_id_of_old` is -1 for removed tokens.
    """

    def __init__(self, before: Tokenizer, changed: ChangedVocabulary, texts: Mapping[str, list[str]]) -> None:
        self.model = LoadedModel(changed.tokenizer)
        self.fields = changes(before, changed, texts)
        self.comparison = FertilityComparison(self.fields["rows"])
        self.id_map = changed.id_map
        self._data = changed.data

    def save(self, path: str | Path, map_path: str | Path | None = None) -> None:
        """Write the tokenizer in the format it came from, and the map of ids as `.csv` or `.npz`.

        Raises
        ------
        InputError : a file cannot be written, or the map's name ends otherwise.
        """
        ending = map_ending(map_path) if map_path else ""
        write_whole(path, self._data)
        if map_path:
            write_whole(map_path, map_bytes(ending, self.id_map, self.model.tokenizer))

    def __repr__(self) -> str:
        return (
            "{n_added:,} tokens added, {n_removed:,} removed; {checked_lines:,} lines checked with {checked_with}"
        ).format(**self.fields)

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
    scores: str = "keep",
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
    extend : add up to so many tokens of the texts: BPE goes on from its own merges, Unigram estimates substrings by EM.
    add : add these tokens: a list, or a text file with one on each line. One that follows a space begins with it.
    trim : remove tokens until so many are left, those least used on the texts first.
    trim_unused : remove what the texts neither use nor pass through while merging.
    other : texts to measure only.
    min_count : the least count of a merged pair, or of a new token of Unigram.
    scores : of Unigram, "keep" the old scores or estimate "all" of them on the texts.
    renumber : close the gaps in the ids that removed tokens leave.
    pattern, column, encoding : as of `load` and `compare`.

    Raises
    ------
    InputError : the vocabulary cannot be changed so, a text is missing, or a line differs in the format's library.

    Examples
    --------
    >>> made = fit("public:gpt2", add=["tokenizers", "the"])
    >>> made.model.encode("tokenizers").ids, made.id_map.old_ids[-2:].tolist()
    ([50257], [30001, 11341])
    >>> made.fields["left_out"][0]["message"]
    "'the' is in the vocabulary already"
    """
    if isinstance(model, LoadedModel):
        model = model.reference if isinstance(model.tokenizer, Imported) else model.tokenizer
    editable = open_editable(model, pattern) if isinstance(model, str | Path) else as_editable(model)
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
        scores=scores,
    )
    measured = {name: lines for name, lines in (own | as_texts(other, column, encoding)).items() if lines}
    return FittedVocabulary(editable.tokenizer, changed, measured)
