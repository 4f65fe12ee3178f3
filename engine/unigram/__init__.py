"""Thunder-Tok and the Unigram LM: one trainer over precomputed lattices, two settings.

The trainer's steps, a file each: `seed` (candidates), `arcs` (every lattice of the corpus, flat), `em` (expected
counts), `statistics` (branching entropy), `viterbi` and `removal` (what the corpus is without a token), `scores` (what
a round ranks by), `pruning`, `trainer` (the rounds). A trained `model` makes a `lattice` of one text, and `encode`s
many.
"""
