"""Learn: WordPiece beside BPE."""
