"""Persistent storage for users: saved models with their training texts, long texts of links, and rooms of classes.

`store` is the interface for the rest of the program; `sqlite` implements it in one SQLite file.
"""
