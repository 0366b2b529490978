"""The model being trained: loading, sharding, packed forward, log-probabilities."""
