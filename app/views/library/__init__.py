"""Library: saved runs, and the view of who runs the server."""
