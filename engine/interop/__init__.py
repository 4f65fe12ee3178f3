"""Files of other programs, a folder a format: read as our tokenizers, and written from ours."""
