"""Makers of the project's public face: the folder of a Space, the pictures of the documentation."""
