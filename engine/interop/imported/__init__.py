"""Tokenizers from imported files: normalizers, pre-tokenizers, models and decoders."""
