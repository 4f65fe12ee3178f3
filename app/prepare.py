"""Precompute into the cache folder what a first visitor would wait for, mainly models: `python -m app.prepare`."""

import sys

from app.server.prepared import prepared_file
from app.session.first_look import first_models
from engine.training import start_training


def main() -> int:
    """Train the first models, unless this version of the engine already has."""
    for request in first_models():
        sys.stderr.write(f"training a first model: {request.settings.algorithm}\n")
        training = start_training(request.source.lines(), request.settings)
        for _ in training.rounds():
            pass
        training.model().save(prepared_file(request.key))
    return 0


if __name__ == "__main__":
    sys.exit(main())
