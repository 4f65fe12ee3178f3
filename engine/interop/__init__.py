"""Other programs' tokenizer files, one folder per format: read as our tokenizers, written from them."""
