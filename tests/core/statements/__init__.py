"""Parts of statements."""
