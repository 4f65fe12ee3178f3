"""Learn: BPE step by step."""
