"""From a table to a `Figure`, without Streamlit: figures shared by several pages."""
