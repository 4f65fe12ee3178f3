"""Learn: words, characters or subwords."""
