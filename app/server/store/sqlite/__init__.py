"""The store as one SQLite file.

`schema` makes and updates the tables, `database` opens the file and explains what goes wrong with it, `runs`,
`texts` and `rooms` are its tables, `sqlite_store` is all of them together.
"""
