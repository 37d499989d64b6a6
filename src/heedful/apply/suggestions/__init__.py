"""What people decided about suggestions, ready for the next prompt."""
