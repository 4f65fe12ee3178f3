"""A student's answers kept in the browser."""
