"""From files to flat arrays: reading, normalising, pre-tokenization, morphemes, distinct sentences."""
