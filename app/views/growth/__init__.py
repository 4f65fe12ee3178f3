"""Vocabulary size: fertility by vocabulary size, training language and mixture."""
