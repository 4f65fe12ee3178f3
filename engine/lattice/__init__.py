"""One text's lattice: forward and backward passes, the best segmentation, n-best, samples, entropy, what-ifs."""
