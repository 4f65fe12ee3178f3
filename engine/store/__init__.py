"""What the program keeps for its users: saved models with what they were trained on, and long texts of links.

`store` is the interface that the rest of the program knows; `sqlite` keeps everything in one file of SQLite.
"""
