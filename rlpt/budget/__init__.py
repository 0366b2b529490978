"""What a run will need, before it starts, and what it has used, while it runs."""
