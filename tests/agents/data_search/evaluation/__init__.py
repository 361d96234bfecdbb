"""What an evaluation compares."""
