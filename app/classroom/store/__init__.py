"""Rooms, their phones and answers in the library: `records`, and the tables, of which `rooms` is the whole."""
