"""The algorithms as a lesson tells them: small corpora, plain Python, every step kept.

`toy_corpus` reads words and their counts, `toy_merges` steps through BPE and WordPiece, `toy_unigram` through the
Unigram LM; `questions` has what a class is asked before. The real trainers give the same merges
(tests/app/lessons/test_toy_merges.py).
"""
