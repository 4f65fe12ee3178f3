"""Learn: UTF-8, and tokenizers of bytes."""
