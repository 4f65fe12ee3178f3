"""Offline scripts that measure with the engine and write to assets/. Not installed with the program.

`shipped` trains the models in assets/models, `evidence` and `papers` make the measurements in assets/evidence.
"""
