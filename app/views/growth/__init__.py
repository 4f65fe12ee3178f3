"""Size and data: fertility over vocabulary size, training language and mixture."""
