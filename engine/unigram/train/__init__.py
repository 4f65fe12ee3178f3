"""One trainer over precomputed lattices for both Thunder-Tok and the Unigram LM.

One module per step: `seed` (candidates), `arcs` (all lattices of the corpus, flat), `em` (expected counts),
`statistics` (branching entropy), `viterbi_counts` and `removal` (the effect of removing a token), `pruning`, `trainer`
(the rounds). `engine.pruning_scores` defines the scores.
"""
