"""`tokenizer.json` and `vocab.txt`."""
