"""The measurements in assets/evidence beyond the sources, one module each; `make` stores them."""
