"""The files of an upload as one text that knows its files."""

from collections.abc import Mapping

from app.server.stored_texts import checked_text
from app.server.work.reading import ReadCorpus
from app.texts.corpora import Text, joined_name
from engine.corpus.files import CorpusFiles
from engine.corpus.metadata import MetadataTable, described, is_metadata
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.errors import InputError


def joined_corpus(
    read: Mapping[str, ReadCorpus], table: MetadataTable | None = None, pattern: str = ""
) -> tuple[Text, tuple[InputError, ...]]:
    """The texts of files, joined in order, and what is odd about their metadata.

    Parameters
    ----------
    read : by the names of the files.
    table, pattern : say more about the files, see `engine.corpus.metadata.described`.

    Raises
    ------
    app.server.limits.LimitError : they are too long together.
    InputError : see `described`.
    """
    # A Windows file would otherwise give the last word of every line a token with a carriage return.
    texts = [one.text if one.names else with_line_feeds(one.text) for one in read.values()]
    ended = [text if not text or text.endswith("\n") else f"{text}\n" for text in texts[:-1]]
    n_lines = [len(split_lines(text)) for text in texts]
    files, odd = described(CorpusFiles.of(dict(zip(read, n_lines, strict=True))), table, pattern)
    return checked_text("".join([*ended, texts[-1]]), joined_name(files.names), files), odd


def table_among(read: Mapping[str, ReadCorpus]) -> str | None:
    """The name of the file that says more about the others; None without one.

    Raises
    ------
    InputError : several do.
    """
    tables = [name for name, one in read.items() if is_metadata(one.names)] if len(read) > 1 else []
    if len(tables) > 1:
        raise InputError("files.tables", names=", ".join(tables))
    return tables[0] if tables else None
