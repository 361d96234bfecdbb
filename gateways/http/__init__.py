"""HTTP services that tools call; may import core and httpx, and knows no framework."""
