"""The page Class: lessons that ask first and show then."""
