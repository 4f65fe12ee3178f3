"""The project's own Streamlit components (version 2), one a folder: `widget.py`, its script and its style sheet.

A component is registered once, when its module is imported. It shows text only as text, takes every visible string as a
label, and works by keyboard.
"""
