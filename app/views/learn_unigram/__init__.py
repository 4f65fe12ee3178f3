"""Learn: the Unigram model, its lattice, EM and pruning."""
