"""What a term means, at the term."""
