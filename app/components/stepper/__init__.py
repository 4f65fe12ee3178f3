"""A player of prepared frames, for lessons."""
