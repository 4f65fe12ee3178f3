"""A text field whose text is known while one types."""
