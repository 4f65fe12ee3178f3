"""Measures of tokenizers: pure functions from texts and `Tokenizer` objects to numbers with their sample size n."""
