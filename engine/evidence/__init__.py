"""What the sources print compared with stored measurements in assets/evidence, none entered by hand."""
