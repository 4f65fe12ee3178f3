"""The addresses of the server, its headers, and who may connect."""
