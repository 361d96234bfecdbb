"""A language model that calls tools, of any OpenAI-compatible service. May import core."""
