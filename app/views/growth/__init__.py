"""Size and data: fertility by vocabulary size, training language and mixture."""
