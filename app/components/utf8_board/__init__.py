"""The bytes of characters in UTF-8."""
