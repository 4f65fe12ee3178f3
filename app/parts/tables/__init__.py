"""Tables of a model, its rounds and its corpus, shared by several pages: plain functions without Streamlit."""
