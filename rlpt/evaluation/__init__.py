"""Evaluations: fixed suites, their statistics, and what a run made better or worse."""
