"""Tables found by their words."""
