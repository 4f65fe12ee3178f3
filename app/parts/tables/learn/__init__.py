"""Tables and frames of the toy algorithms, for the Learn pages and the lessons."""
