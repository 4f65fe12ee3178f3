"""What the sources print, and what was measured beside it: figures in assets/evidence, none typed in by hand."""
