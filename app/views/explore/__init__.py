"""Explore: one text under several tokenizers."""
