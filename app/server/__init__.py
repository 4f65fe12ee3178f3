"""What all visitors share: the queue of trainings, the library, limits, and the process itself."""
