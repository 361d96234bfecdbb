"""The stages: loops, guards and the answer."""
