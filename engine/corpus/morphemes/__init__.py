"""Programs that find morphemes, through one interface."""
