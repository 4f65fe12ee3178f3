"""Tokenizers of public language models, offline: facts about each, and the source of its vocabulary."""
