"""What happens around the steps, one Lightning callback each."""
