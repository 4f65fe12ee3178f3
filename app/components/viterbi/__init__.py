"""The Viterbi algorithm step by step."""
