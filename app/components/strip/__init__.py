"""The tokens of several tokenizers, one under the other, aligned to the characters."""
