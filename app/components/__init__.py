"""The project's own Streamlit components (version 2), one a folder: `widget.py`, its script and its style sheet;
in `data.py`, without Streamlit, the types of what it shows, where pages prepare that in tables.

A component is registered once, when its module is imported. It shows text only as text, takes every visible string as a
label, and works by keyboard.
"""
