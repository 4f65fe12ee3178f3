"""The page on the terms of the field."""
