"""Custom Streamlit components (version 2).

`component.py` has the table of those that draw, and draws them; `data.py`, without Streamlit, the types of their data.
The other modules check what a page gives and what the browser sends. A component is registered once, shows text only
as text, takes every visible string as a label, and works by keyboard.
"""
