"""From files to flat arrays: reading, normalising, sentence splitting, pre-tokenization, distinct sentences."""
