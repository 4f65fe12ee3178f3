"""The page Questions: the sources' questions and their answers."""
