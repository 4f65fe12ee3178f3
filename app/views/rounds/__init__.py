"""Pruning rounds: what each removed, and the life of a token."""
