"""The store as one SQLite file.

`migration` creates and updates the tables, `database` opens the file and explains its errors, `salvage` reads a damaged
one.
"""
