"""OpenAI-compatible embedding servers; may import core and httpx."""
