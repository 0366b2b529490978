"""A report on a candidate and its references: domains, configs, learning, cost, and the tasks won and lost."""
