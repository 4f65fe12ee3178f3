"""What the program keeps for its users: saved models with what they were trained on, long texts of links,
and the rooms of classes.

`store` has the records and the errors; `sqlite` keeps everything in one file of SQLite.
"""
