"""Tokenizers of imported files: their normalizers, pre-tokenizers, models and decoders, one class a step."""
