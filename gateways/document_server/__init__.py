"""Another installation's data catalogue over its REST API; may import core and httpx."""
