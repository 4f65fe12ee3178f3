"""Rooms, their phones and answers in the library's file: `records`, and the tables, of which `rooms` is the whole."""
