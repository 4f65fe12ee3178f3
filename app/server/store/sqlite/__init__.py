"""The store as one SQLite file.

`schema` creates and updates the tables, `database` opens the file and explains its errors, `sqlite_store` has
the tables of runs and texts and combines all of them.
"""
