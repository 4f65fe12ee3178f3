"""Streamlit components (version 2): SVG and HTML of our own, text always as text."""
