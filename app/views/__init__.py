"""One folder per page: `page.py` reads the state, calls the engine and draws; sections and tables are next to it."""
