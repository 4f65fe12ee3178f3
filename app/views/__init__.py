"""One page a folder: `page.py` reads the state, calls the engine and draws; its sections and tables lie beside it."""
