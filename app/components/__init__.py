"""Custom Streamlit components (version 2), one per folder: `widget.py`, its script and its style sheet. `data.py`,
without Streamlit, has the types of the component's data if pages prepare it in tables.

A component is registered once, when its module is imported. It shows text only as text, takes every visible string as a
label, and works by keyboard.
"""
