"""BPE and WordPiece: vocabularies built by repeatedly merging adjacent symbols.

`alphabet` (initial symbols), `heap` and `index` (all pairs of the corpus, updated by `merge_step`), `run` (the training
loop), `trainer` (its interface), `superbpe` (in two stages), `parity` (of several languages), `bpe` with `replay` and
`wordpiece` (the trained tokenizers), `model_writer` and `model_file`; also the tokenizers without merges: `plain`.
"""
