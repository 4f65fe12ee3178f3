"""Train: corpus, settings, progress, and the finished model."""
