"""What runs in a sandbox on behalf of a verifier, sent there as text: no other module imports it."""
