"""State shared by all visitors: the training queue, the library, limits, and the process itself."""
