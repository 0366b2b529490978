"""What a run records: the local record that always exists, and the trackers that mirror it."""
