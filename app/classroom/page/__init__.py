"""The page Class: alone or with a room, on the wall and in the lecturer's second window."""
