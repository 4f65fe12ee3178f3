"""Tables of a model, its rounds and its corpus: plain functions without Streamlit, tested alone."""
