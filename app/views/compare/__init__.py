"""Compare: vocabularies: their overlap, their audit, their predictability, and the ablation of the paper."""
