"""Verifiers: they say whether a completion answers its task. One file each, and the process pool that runs them."""
