"""Replay: recorded calls of a tool run against a draft and against what is served, and compared."""
