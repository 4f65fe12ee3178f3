"""Compare: two to four vocabularies, their overlap, and the ablation of the paper."""
