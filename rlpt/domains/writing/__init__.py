"""What writing tasks are made of: topics, requests with checkable constraints, and texts that satisfy them."""
