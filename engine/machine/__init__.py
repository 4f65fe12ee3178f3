"""What the engine asks of the machine: memory, threads, folders and files."""
