"""Sentence splitting, for texts whose lines are paragraphs. By default a line is a sentence."""

import regex

# A sentence ends after final punctuation (and closing quotes or brackets) followed by white space, but not after a
# digit or a single Latin capital with a full stop ("3. ", "J. ").
_END = regex.compile(r"(?<![\p{N}]|\b[A-Z])[.?!…]+[\"'”’)\]』」]*(?=\s)|[。！？]+[”’」』）]*")


def split_sentences(line: str) -> list[str]:
    """Sentences of one line, without the white space between them.

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
