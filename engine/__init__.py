"""Thunder-Tok Explorer's engine: tokenizers trained and taken apart, with no user interface.

Where to start: `engine.corpus` reads and pre-tokenizes text, `engine.unigram` holds Thunder-Tok and the
Unigram LM (one trainer, two settings), `engine.merges` BPE and WordPiece, `engine.cli` the command line.
"""
