"""Registers: what is key in one sub-corpus against others, and how evenly it is spread."""
