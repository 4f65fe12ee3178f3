"""The store as one SQLite file.

`schema` creates and updates the tables, `database` opens the file and explains its errors, `runs`, `texts` and `rooms`
are the tables, `sqlite_store` combines them.
"""
