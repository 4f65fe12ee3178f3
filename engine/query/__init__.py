"""A query over tokens, morphemes and words, a subset of CQL (docs/query.md): parser, automaton and matcher."""
