"""Vector stores."""
