"""Work for processes of their own: its kinds and limits, who is next, the workers, and what they leave."""
