"""State of one visitor: the current model, own texts, and the values in the URL."""
