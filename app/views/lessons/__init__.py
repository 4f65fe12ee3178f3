"""The page Class: lessons that ask first, then show."""
