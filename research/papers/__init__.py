"""The figures beside the five sources: `make` stores them, each made by a module of its own here."""
