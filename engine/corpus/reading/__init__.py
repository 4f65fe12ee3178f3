"""Reading corpus files: encodings, compressed files, tables, parallel texts."""
