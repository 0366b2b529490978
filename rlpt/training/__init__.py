"""The training run: a Lightning module that samples, scores, weighs, updates and syncs, and what surrounds it."""
