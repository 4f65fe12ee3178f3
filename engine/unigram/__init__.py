"""Thunder-Tok and the Unigram LM: `train` makes a vocabulary, `model` is one with its history, and its file."""
