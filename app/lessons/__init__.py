"""The algorithms as taught in a lesson: small corpora, plain Python, every step recorded.

`toy_corpus` reads words and their counts, `toy_merges` steps through BPE and WordPiece, `toy_unigram` through the
Unigram LM; `questions` defines the questions a class answers. The real trainers learn the same merges
(tests/app/lessons/test_toy_merges.py).
"""
