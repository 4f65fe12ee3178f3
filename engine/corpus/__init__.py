"""From files to flat arrays: reading, normalising, pre-tokenization, distinct sentences."""
