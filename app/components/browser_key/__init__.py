"""A secret that the browser keeps for the visitor."""
