"""From files to flat arrays: reading, normalisation, pre-tokenization, sentences, morphemes."""
