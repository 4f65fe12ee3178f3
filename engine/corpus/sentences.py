"""Sentence splitting, for texts whose lines are paragraphs. Off by default: a line is a sentence."""

import regex

# A sentence ends after final punctuation (with closing quotes or brackets) where white space follows. A digit or a
# single Latin capital before a full stop ("3. ", "J. ") does not end a sentence.
_END = regex.compile(r"(?<![\p{N}]|\b[A-Z])[.?!…]+[\"'”’)\]』」]*(?=\s)|[。！？]+[”’」』）]*")


def split_sentences(line: str) -> list[str]:
    """Sentences of one line, without the white space between them; their order and text are kept.

    >>> split_sentences('값은 3.5다. "정말?" 그렇다.')
    ['값은 3.5다.', '"정말?"', '그렇다.']
    """
    sentences = []
    begin = 0
    for match in _END.finditer(line):
        sentences.append(line[begin : match.end()].strip())
        begin = match.end()
    sentences.append(line[begin:].strip())
    return [sentence for sentence in sentences if sentence]
