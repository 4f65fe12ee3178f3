"""The tokens of several tokenizers in rows, aligned to the characters."""
