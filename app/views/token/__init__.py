"""One token: everything that is known of it."""
