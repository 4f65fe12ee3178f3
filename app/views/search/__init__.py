"""Search a corpus: its lines, and what is key in its parts."""
