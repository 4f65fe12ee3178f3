"""The measurements of assets/evidence that go beyond the sources, a module each; `make` stores them."""
