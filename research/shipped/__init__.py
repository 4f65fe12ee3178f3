"""The models that come with the program: trained, and measured on a treebank."""
