"""Persistent storage for users: saved models with their training texts, long texts of links, and rooms of classes.

`store` has the records and the errors; `sqlite` keeps everything in one file of SQLite.
"""
