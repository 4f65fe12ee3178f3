"""Makers of the project's public face: the folder of a Space, the pictures and the animation of the documentation."""
