"""What is wrong in a vocabulary: tokens that no text produces, broken UTF-8, missing syllables, junk, duplicates."""
