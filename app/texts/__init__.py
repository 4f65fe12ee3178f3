"""What is said and shown: the catalogue of texts in two languages, built-in corpora and examples."""
