"""Codes files of subword-nmt."""
