"""One page a file: read the state, call the engine, draw."""
