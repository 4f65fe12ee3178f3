"""Tables of the page on bytes."""
