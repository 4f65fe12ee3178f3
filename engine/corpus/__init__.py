"""From files to flat arrays: reading, normalising, pre-tokenization, sentences, morphemes."""
