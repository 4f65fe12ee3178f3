"""A tokenizer with a changed vocabulary, checked with the library that reads its file, and as a ZIP."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.fit.bpe import RankFile, TrainedBpe
from engine.fit.editable import Editable, NewMerge, TextEditable
from engine.fit.id_map import ENDINGS, IdMap, map_bytes, map_of_kept, map_of_merges, map_of_sources
from engine.fit.listed import NO_LIST, ListedTokens, listed_merges
from engine.fit.merges import continue_merges, largest_tokens, used_tokens
from engine.fit.pieces import PieceFile, UnigramFile, learn_pieces, list_pieces
from engine.fit.scored import KEEP, ScoredEditable, learn_tokens, list_tokens
from engine.fit.tokenizer_json import TokenizerJson, UnigramJson
from engine.interop.exports import ParityReport, check_parity, require_parity
from engine.interop.formats import as_utf8, format_of, import_tokenizer
from engine.interop.imported.tokenizer import Imported, ImportedUnigram
from engine.interop.sentencepiece.exporter import to_sentencepiece
from engine.interop.sentencepiece.importer import SentencePieceTokenizer, from_sentencepiece
from engine.interop.tiktoken.ranks import TiktokenBpe
from engine.machine.atomic_file import read_file
from engine.machine.threads import usable_threads
from engine.measure.encoded import encode_lines
from engine.merges.bpe import Bpe
from engine.model_files import load_tokenizer, require_ranks
from engine.public.catalogue import HUB, PUBLIC
from engine.public.hub import fetch_file, hub_folder
from engine.shipped.catalogue import SHIPPED
from engine.tokenizer import Tokenizer

# Lines of the text that the library checks.
_SAMPLE = 2000
_README = """\
{file} is the changed tokenizer; map.csv and map.npz have the old ids of the text of every new id.{pattern}

New embeddings may begin with the mean of the old ones of their text. With a model of
transformers, numpy as np, torch and itertools:

    m, old = np.load("map.npz"), model.get_input_embeddings().weight.detach().clone()
    parts = [m["old_ids"][a:b] for a, b in itertools.pairwise(m["ptr"])]
    new = torch.stack([old[part].mean(0) if part.size else old.mean(0) for part in parts])
    model.resize_token_embeddings(len(new))
    model.get_input_embeddings().weight.data.copy_(new)

An id without old ids is unused.
If the model's output layer is not tied to its embeddings, copy the weight of model.get_output_embeddings() before the
model is resized, and set it to the means of its rows in the same way.
"""


class ChangedVocabulary(NamedTuple):
    """The new tokenizer, its file, what became of the old ids, the check, and what became of a list.

    Of learned tokens, `smaller` makes the tokenizer with the first few: they come in the order of what they save.
    """

    tokenizer: Tokenizer
    data: bytes
    id_map: IdMap
    report: ParityReport
    listed: ListedTokens = NO_LIST
    smaller: Callable[[int], Tokenizer] | None = None

    @property
    def added(self) -> np.ndarray:
        """The ids (int64) of new tokens."""
        is_new = np.diff(self.id_map.ptr) > 0
        is_new[self.id_map.new_id_of_old[self.id_map.new_id_of_old >= 0]] = False
        return np.flatnonzero(is_new)

    @property
    def removed(self) -> np.ndarray:
        """The old ids (int64) of tokens that are gone."""
        return np.flatnonzero(self.id_map.new_id_of_old < 0)


def open_editable(reference: str | Path, pattern: str | None = None) -> Editable:
    """A tokenizer to change; see `engine.model_files.load_tokenizer`.

    Raises
    ------
    InputError : its vocabulary cannot be changed; or as `load_tokenizer`.
    """
    require_ranks([reference], pattern)
    name = reference if isinstance(reference, str) else ""  # a Path is always a file
    if name.startswith((PUBLIC, SHIPPED)):
        return as_editable(load_tokenizer(reference, pattern))
    is_hub = name.startswith(HUB)
    data = fetch_file(name.removeprefix(HUB), hub_folder()).content if is_hub else read_file(reference)
    return as_editable(import_tokenizer(data, str(reference), pattern), as_utf8(data))


def as_editable(tokenizer: Tokenizer, data: bytes | None = None) -> Editable:
    """A tokenizer with its file, which is written where there is none; raises as `open_editable` does.

    Thunder-Tok and Unigram, trained here, become a `.model`.
    """
    if isinstance(tokenizer, Bpe):
        return TrainedBpe(tokenizer)
    if isinstance(tokenizer, TiktokenBpe):
        return RankFile(tokenizer, data)
    if isinstance(tokenizer, Imported) and data is not None and data.lstrip()[:1] == b"{":
        return (UnigramJson if isinstance(tokenizer, ImportedUnigram) else TokenizerJson)(tokenizer, data)
    if isinstance(tokenizer, SentencePieceTokenizer):
        return (PieceFile if tokenizer.merger else UnigramFile)(tokenizer, data)
    if tokenizer.pruning is not None:
        try:
            data = to_sentencepiece(tokenizer.pruning)
        except InputError as error:
            raise InputError("fit.as_pieces", name=tokenizer.name, reason=error) from None
        return UnigramFile(from_sentencepiece(data), data)
    raise InputError("fit.kind", name=tokenizer.name)


def change_vocabulary(
    editable: Editable,
    lines: list[str],
    *,
    extend: int | None = None,
    add: Sequence[str] | None = None,
    trim: int | None = None,
    trim_unused: bool = False,
    min_count: int = 2,
    renumbers: bool = False,
    scores: str = KEEP,
) -> ChangedVocabulary:
    """What one of the arguments `extend`, `add`, `trim` and `trim_unused` says; see the functions below.

    Raises
    ------
    InputError : none or several are given, a text is missing, or the change cannot be made.
    """
    if (extend, add, trim, trim_unused or None).count(None) != 3:
        raise InputError("fit.change")
    if not lines and (extend is not None or trim_unused):
        raise InputError("fit.text", option="extend" if extend is not None else "trim-unused")
    if extend is not None:
        return extended(editable, lines, extend, min_count, scores)
    return trimmed(editable, lines, trim, renumbers) if add is None else with_listed(editable, lines, add)


def extended(editable: Editable, lines: list[str], n: int, min_count: int = 2, scores: str = KEEP) -> ChangedVocabulary:
    """With up to n new tokens, merged from the old ones on the lines; fewer if no pair occurs `min_count` times.

    Of a SentencePiece BPE also characters that it lacks. Of Unigram: substrings with scores estimated by EM, and
    `scores` says what becomes of the old ones, see `engine.fit.scored.learn_tokens`.
    """
    if isinstance(editable, ScoredEditable):
        new, old = learn_tokens(editable, lines, n, min_count, scores, usable_threads())
        changed = _with_scores(editable, new, old, lines)
        return changed._replace(smaller=lambda k: editable.with_scores(dict(islice(new.items(), k)), old)[0])
    if isinstance(editable, PieceFile):
        pieces = learn_pieces(editable, lines, n, min_count, usable_threads())
        changed = _with_scores(editable, pieces, {}, lines)
        return changed._replace(smaller=lambda k: editable.with_scores(dict(islice(pieces.items(), k)), {})[0])
    words, n_old = editable.words(lines, usable_threads()), editable.tokenizer.vocab_size
    merges = continue_merges(editable, words, n, min_count)
    changed = _with_merges(editable, merges, lines)
    return changed._replace(smaller=lambda k: editable.extended([new for new in merges if new.made < n_old + k])[0])


def with_listed(editable: Editable, lines: list[str], tokens: Sequence[str]) -> ChangedVocabulary:
    """With the tokens of a list, each of which is reached; the others are in `listed.left_out`."""
    lost: set[str] = set()
    while True:
        if isinstance(editable, ScoredEditable | PieceFile):
            if isinstance(editable, ScoredEditable):
                new, listed = list_tokens(editable, tokens, lost)
            else:
                new, listed = list_pieces(editable, tokens, lost)
            texts = [*listed.texts.values()]
            changed = _with_scores(editable, new, {}, [*lines, *texts])
            made = as_editable(changed.tokenizer, changed.data)
            assert isinstance(made, TextEditable)
            ids = [made.spell(editable.listed_text(text)) for text in texts]
        else:
            listed = listed_merges(editable, tokens, lost)
            texts = [*listed.texts.values()]
            changed = _with_merges(editable, listed.merges, [*lines, *texts])
            encoded = encode_lines(changed.tokenizer, texts, usable_threads())
            ids = [part.tolist() for part in np.split(encoded.ids, encoded.token_ptr[1:-1])]
        missed = {text for text, token_id, found in zip(texts, listed.texts, ids, strict=False) if found != [token_id]}
        missed |= {tokens[i - 1] for i, error in listed.left_out.items() if error.code == "fit.token_lost"}
        if missed <= lost:
            return changed._replace(listed=listed)
        lost |= missed  # without the merges of those


def trimmed(
    editable: Editable, lines: list[str], size: int | None = None, renumbers: bool = False
) -> ChangedVocabulary:
    """With `size` tokens, by their counts on the lines; None: those that the lines use, and what these are made of.

    Ids stay, with holes; `renumbers`: they are consecutive, in the same order.
    """
    counts = encode_lines(editable.tokenizer, lines, usable_threads()).counts()
    parts = editable.parts()
    kept = used_tokens(parts, counts) if size is None else largest_tokens(parts, counts, size)
    places = np.cumsum(kept) - 1 if renumbers else np.arange(kept.size)
    new_id = np.where(kept, places, -1)
    made = (editable.tokenizer, editable.data) if kept.all() else editable.trimmed(new_id)
    return _checked(editable, *made, map_of_kept(new_id), lines)


def _with_scores(
    editable: TextEditable, new: Mapping[str, float], old: Mapping[str, float], lines: list[str]
) -> ChangedVocabulary:
    made = editable.with_scores(new, old) if new else (editable.tokenizer, editable.data)
    id_map = map_of_sources(editable.tokenizer.vocab_size, [editable.spell(text) for text in new])
    return _checked(editable, *made, id_map, lines)


def _with_merges(editable: Editable, merges: list[NewMerge], lines: list[str]) -> ChangedVocabulary:
    made = editable.extended(merges) if merges else (editable.tokenizer, editable.data)
    return _checked(editable, *made, map_of_merges(editable.tokenizer.vocab_size, merges), lines)


def _checked(
    editable: Editable, tokenizer: Tokenizer, data: bytes, id_map: IdMap, lines: list[str]
) -> ChangedVocabulary:
    sample = lines[:: max(1, len(lines) // _SAMPLE)]
    if editable.target:
        report = check_parity(tokenizer, data, editable.target, sample)
        require_parity(tokenizer, report)
    else:
        again = import_tokenizer(data)
        differ = sum(again.encode(line) != tokenizer.encode(line) for line in sample)
        report = ParityReport("thunder-tok", len(sample), differ, None)
    return ChangedVocabulary(tokenizer, data, id_map, report)


def pack(changed: ChangedVocabulary, target: str) -> bytes:
    """The ZIP; `target` is the format of the tokenizer's file, "" for our own."""
    name = f"tokenizer{format_of(target, changed.tokenizer).ending if target else '.tok'}"
    cut_by = changed.tokenizer.pretokenizer
    pattern = (
        f" Ranks do not say how text is cut: open it with --pattern {cut_by.name}."
        if target == "tiktoken" and cut_by
        else ""
    )
    written = io.BytesIO()
    parts = {name: changed.data, "README.txt": _README.format(file=name, pattern=pattern).encode()}
    parts |= {f"map{ending}": map_bytes(ending, changed.id_map, changed.tokenizer) for ending in ENDINGS}
    with zipfile.ZipFile(written, "w") as archive:
        for part, data in parts.items():
            archive.writestr(zipfile.ZipInfo(part, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()
