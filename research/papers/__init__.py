"""The figures compared with the five sources, one module per measurement; `make` stores them."""
