"""The lattice of a text: forward and backward passes, best segmentation, n-best, sampling, entropy, what-ifs."""
