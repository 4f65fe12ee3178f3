"""Strings of a vocabulary: looked up in a trie, in the fewest tokens, safe at the boundaries of pre-tokens."""
