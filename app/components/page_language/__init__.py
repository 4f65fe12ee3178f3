"""Sets the document language in the browser."""
