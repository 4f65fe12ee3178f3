"""What one visitor has: the model in view, own texts, and what stands in the address."""
