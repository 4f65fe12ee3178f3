"""The page that compares what the sources print with our measurements."""
