"""Issuers of access tokens, the rules on their claims, and the people who sign in by them; may import core and gateways."""
