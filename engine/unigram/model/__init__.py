"""A trained vocabulary with its pruning rounds: its file (`reader`, `writer`), and `compact` models."""
