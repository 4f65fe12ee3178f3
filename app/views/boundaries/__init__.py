"""Boundaries: where entropy, PMI or a language model would cut text without spaces."""
