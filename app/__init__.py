"""The Streamlit front end: a frame (`main`), pages (`views`), pure figures, components, and training jobs."""
