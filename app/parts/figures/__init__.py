"""From a table to a `plotly.graph_objects.Figure`, without Streamlit: figures shared by several pages."""
