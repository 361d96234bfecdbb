"""Parts of expressions."""
