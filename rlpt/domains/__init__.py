"""Domains: where tasks come from, how they are put to the policy, and in what shares a step takes them."""
