"""Pruning rounds: what each removed, and what became of a token."""
