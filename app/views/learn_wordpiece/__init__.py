"""Learn: WordPiece compared with BPE."""
