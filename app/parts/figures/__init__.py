"""From a table to a `Plot`, without Streamlit: figures shared by several pages."""
