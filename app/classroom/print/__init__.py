"""Pages to be read or printed: the handout of a class, and its report."""
