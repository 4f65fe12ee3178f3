"""Text of a corpus from files: encodings, packed files, tables, parallel texts."""
