"""Operations on the strings of a vocabulary: trie lookup, minimum token counts, boundary safety."""
