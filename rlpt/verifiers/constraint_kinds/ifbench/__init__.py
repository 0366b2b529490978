"""Kinds of IFBench (Pyatkin et al. 2025, arXiv:2507.02833), under the ids and arguments of its data set."""
