"""The run library: saved models with what they were trained on, and long texts of links, in one SQLite file.

`schema` makes and updates the tables, `database` opens the file and explains what goes wrong with it, `store` is what
the rest of the program uses.
"""
