"""One trainer over precomputed lattices, two settings.

The steps, a file each: `seed` (candidates), `arcs` (every lattice of the corpus, flat), `em` (expected counts),
`statistics` (branching entropy), `viterbi_counts` and `removal` (what the corpus is without a token), `pruning`,
`trainer` (the rounds). `engine.pruning_scores` has what a round ranks by.
"""
