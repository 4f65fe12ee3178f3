"""The algorithms as taught in a lesson: small corpora, plain Python, every step recorded.

`corpus` reads words and their counts, `merges` steps through BPE and WordPiece, `unigram` through the Unigram LM,
`dropout` through BPE-dropout. The real trainers learn the same merges (tests/app/toys/test_merges.py).
"""
