"""Segmentation methods scored against gold boundaries, their errors, and BPE trained inside the boundaries."""
