"""One token: everything known about it."""
