"""BPE and WordPiece: vocabularies that grow by merging two neighbouring symbols at a time.

`alphabet` (what the first symbols are), `heap` and `index` (all pairs of the corpus, kept up to date by `merge_step`),
`run` (the loop), `trainer` (around it), `history` (what every merge was), `bpe` with `replay` and `wordpiece` (the
trained tokenizers), `model_writer` and `model_file`. Beside them the tokenizers that need no merges: `words`,
`characters`, `utf8`.
"""
