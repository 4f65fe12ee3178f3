"""Where no token crosses: the named patterns, a pattern of the user's own, and the cut itself."""
