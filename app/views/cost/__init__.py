"""Who pays more? The same content by language, under the tokenizers of public models."""
