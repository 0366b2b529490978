"""What each `rlpt <verb>` does: thin wiring. The heavy libraries are imported when a job starts, not before."""
