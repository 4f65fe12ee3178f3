"""Tokenizers from imported files: normalizers, pre-tokenizers, models and decoders.

Why not `tokenizers` itself: its `encode` holds Python's lock and cannot be stopped (a pattern keeps a server from
answering for a minute on 9,000 characters), ends the process when memory runs out, and gives no offset inside a piece,
which lattices and bytes inside characters need.
"""
