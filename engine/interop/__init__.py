"""Files of other programs: what they hold, as our tokenizers, and ours as such files."""
