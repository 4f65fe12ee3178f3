"""Tells the browser the language of the page."""
