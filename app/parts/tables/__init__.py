"""Tables of a model, its rounds and its corpus that several pages use: plain functions without Streamlit."""
