"""The same training, shard by shard, for a corpus too large for memory or for one machine (docs/scale.md)."""
