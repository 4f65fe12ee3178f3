"""Measures of tokenizers: pure functions from texts and `Tokenizer` objects to numbers that carry their n."""
