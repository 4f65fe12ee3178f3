"""From a table to a `plotly.graph_objects.Figure`, without Streamlit: what several pages share."""
