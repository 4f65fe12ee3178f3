"""Persistent storage for users: saved models with their training texts, long texts of links, and rooms of classes.

`store` has the records and the errors, `schema` the tables, `tables` runs and texts, in SQL that both databases
understand: `sqlite` keeps everything in one file, `postgresql` on a server. `database` is what they have in common.
"""
