"""Tokenizers of public language models, offline: what is known of each, and where its vocabulary is read from."""
