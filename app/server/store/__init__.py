"""What the program keeps for its users: saved models with what they were trained on, long texts of links,
and the rooms of classes.

`store` is the interface that the rest of the program knows; `sqlite` keeps everything in one file of SQLite.
"""
