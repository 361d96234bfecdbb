"""Tests of the scripted model, on prompts of the agent's shape and a database of its own."""
