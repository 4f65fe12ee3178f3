"""Work done by separate processes: its kinds and limits, the queue, the workers, and their output files."""
