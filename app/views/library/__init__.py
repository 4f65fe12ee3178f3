"""Library: saved runs, and the teacher's view."""
