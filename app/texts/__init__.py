"""What is said and shown: the catalogue of texts by language, built-in corpora and examples."""
