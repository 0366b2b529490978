"""Pure tensor functions: advantages, losses, aggregation, KL, correction. No communication, no state."""
