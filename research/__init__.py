"""Makers that run offline: they measure with the engine and write to assets/. Not installed with the program.

`shipped` trains the models of assets/models, `evidence` and `papers` measure what assets/evidence keeps.
"""
