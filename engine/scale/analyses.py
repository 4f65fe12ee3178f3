"""What the commands measure of a whole text, measured of its blocks and added in the order of the text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain

import numpy as np

from engine.corpus.arrays import offsets
from engine.corpus.pretokens.pretokenize import to_codes
from engine.machine.atomic_file import write_whole
from engine.measure.encoded import encode_lines
from engine.measure.fertility_table import LineCounts, count_lines, joined_counts
from engine.measure.words import AUTO, letter_counts, suggested_definition
from engine.model_files import ModelSource, load_source
from engine.scale.by_block import BlockCorpus, BlockTask, BlockWorkers
from engine.scale.inputs import SurveyedBlock


def count_tokens(
    workers: BlockWorkers, blocks: Sequence[SurveyedBlock], source: ModelSource, vocab_size: int
) -> np.ndarray:
    """int64[vocab_size]: how often each token occurs; raises as `BlockWorkers.measured` does."""
    counts = np.zeros(vocab_size, dtype=np.int64)
    for (own,) in workers.measured(_count_tokens, [BlockTask(block, (), source.digest) for block in blocks], source):
        counts += own
    return counts


def _count_tokens(parts: Sequence[Sequence[str]], source: ModelSource) -> list[np.ndarray]:
    return [encode_lines(load_source(source), _all_lines(parts)).counts()]


def write_ids(workers: BlockWorkers, blocks: Sequence[SurveyedBlock], source: ModelSource, path: str) -> None:
    """Write the ids of all lines to a .npy file, in the smallest type, and to `lines_file(path)` where the lines end.

    The latter is int64[n_lines + 1], from 0 on; raises as `BlockWorkers.measured` does, or a file cannot be written.
    """
    found = workers.measured(_encode_lines, [BlockTask(block, (), source.digest) for block in blocks], source)
    n_tokens = offsets([int(ptr[-1]) if ptr.size else 0 for ptr in found.arrays(1)])
    ends = (ptr + begin for ptr, begin in zip(found.arrays(1), n_tokens, strict=False))
    n_lines = 1 + sum(part.n_lines for block in blocks for part in block.parts)
    write_whole(path, _npy(int(n_tokens[-1]), found.arrays(0)))
    write_whole(lines_file(path), _npy(n_lines, chain([np.zeros(1, dtype=np.int64)], ends)))


def lines_file(path: str) -> str:
    """The file beside that of the ids."""
    return f"{path.removesuffix('.npy')}.lines.npy"


def _npy(n: int, arrays: Iterable[np.ndarray]) -> Iterator[bytes]:
    """The content of a .npy file with these arrays, n items in all."""
    header = BytesIO()
    for array in arrays:
        if not header.tell():
            about = {"descr": array.dtype.str, "fortran_order": False, "shape": (n,)}
            np.lib.format.write_array_header_1_0(header, about)
            yield header.getvalue()
        yield array.tobytes()


def _encode_lines(parts: Sequence[Sequence[str]], source: ModelSource) -> list[np.ndarray]:
    tokenizer = load_source(source)
    batch = tokenizer.encode_lines(_all_lines(parts))
    return [batch.ids.astype(np.min_scalar_type(max(tokenizer.vocab_size - 1, 0))), batch.line_ptr[1:]]


def _all_lines(parts: Sequence[Sequence[str]]) -> Sequence[str]:
    return parts[0] if len(parts) == 1 else [line for lines in parts for line in lines]


def count_texts(
    workers: BlockWorkers,
    corpus: BlockCorpus,
    texts: Mapping[str, Sequence[int]],
    sources: Sequence[ModelSource],
    words: str = AUTO,
) -> tuple[dict[str, str], dict[str, list[LineCounts]]]:
    """The definitions and counts of `counted_rows`; raises as `BlockWorkers.measured` does.

    Parameters
    ----------
    texts : indices of the files of each; a file is in one text at most.
    sources : of the models.
    words : a definition of `engine.measure.words`, or AUTO: by the script of each text.
    """

    def count(definitions: Mapping[str, str]) -> dict[str, list[LineCounts]]:
        counts: dict[str, list[list[LineCounts]]] = {text: [[] for _ in sources] for text in texts}
        places, tasks = [], []
        for block, of in _used(corpus, texts):
            by_part = tuple("" if text is None else definitions[text] for text in of)
            for k, source in enumerate(sources):
                places.append((k, [text for text in of if text is not None]))
                tasks.append(BlockTask(block, (by_part, k), repr((by_part, source.digest))))
        for (k, of_parts), arrays in zip(places, workers.measured(_count_lines, tasks, sources), strict=True):
            for i, text in enumerate(of_parts):
                counts[text][k].append(LineCounts(*arrays[3 * i : 3 * i + 3]))
        return {text: [joined_counts(own) for own in by_model] for text, by_model in counts.items()}

    definitions = text_definitions(workers, corpus, texts, words, is_guess=True)
    counts = count(definitions)
    suggested = {text: suggested_definition(own[0].sums[5:]) for text, own in counts.items()}
    if words != AUTO or suggested == definitions:
        return definitions, counts
    return suggested, count(suggested)


def text_definitions(
    workers: BlockWorkers, corpus: BlockCorpus, texts: Mapping[str, Sequence[int]], words: str, is_guess: bool = False
) -> dict[str, str]:
    """The `definition_of` each text, or a guess from its first block; arguments as of `count_texts`."""
    if words != AUTO:
        return dict.fromkeys(texts, words)
    letters = {text: np.zeros(2, dtype=np.int64) for text in texts}
    used = _used(corpus, texts)
    if is_guess:
        used = list({text: block for block in reversed(used) for text in block[1]}.values())
    found = workers.measured(_count_letters, [BlockTask(block) for block, _ in used])
    for (_, of), counts in zip(used, found, strict=True):
        for text, own in zip(of, counts, strict=True):
            if text is not None:
                letters[text] += own
    return {text: suggested_definition(counts) for text, counts in letters.items()}


def _used(corpus: BlockCorpus, texts: Mapping[str, Sequence[int]]) -> list[tuple[SurveyedBlock, list[str | None]]]:
    """The blocks with lines of these texts, and the text of each of their parts."""
    text_of = {file: text for text, chosen in texts.items() for file in chosen}
    return [
        (block, [text_of.get(file) for file in numbers])
        for block, numbers in zip(corpus.blocks, corpus.numbers, strict=True)
        if not text_of.keys().isdisjoint(numbers)
    ]


def _count_letters(parts: Sequence[Sequence[str]]) -> list[np.ndarray]:
    return [letter_counts(to_codes("".join(lines))) for lines in parts]


def _count_lines(
    parts: Sequence[Sequence[str]], definitions: Sequence[str], model: int, sources: Sequence[ModelSource]
) -> list[np.ndarray]:
    """The LineCounts of each part that has a definition, consecutively."""
    tokenizer = load_source(sources[model])
    measured = zip(parts, definitions, strict=True)
    return [array for lines, own in measured if own for array in count_lines(tokenizer, lines, own)]
