"""The page Questions: what the sources ask, and what answers it."""
