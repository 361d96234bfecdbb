"""The models of state and tool answers."""
