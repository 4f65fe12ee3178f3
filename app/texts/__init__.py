"""Texts: the message catalogue, built-in corpora, and examples."""
