"""Tables of the page Characters and bytes."""
