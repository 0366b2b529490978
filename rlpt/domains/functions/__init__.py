"""A grammar of small Python functions: families with constants, what they mean, and calls that tell them apart."""
