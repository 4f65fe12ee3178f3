"""SentencePiece's `.model` files."""
