"""The shipped models: trained, and measured on a treebank."""
