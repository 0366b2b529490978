"""What the policy may call between its turns."""
