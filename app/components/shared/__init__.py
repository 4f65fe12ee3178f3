"""Shared by the components: a Python helper, and scripts and styles that precede their own."""
