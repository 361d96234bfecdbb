"""Pictures for agents."""
