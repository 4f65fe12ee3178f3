"""tiktoken's files of ranks."""
