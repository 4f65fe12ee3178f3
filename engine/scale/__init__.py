"""A corpus that outgrows one machine's memory, or one machine: the same training, shard by shard (docs/scale.md)."""
