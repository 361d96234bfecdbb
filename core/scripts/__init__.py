"""Parts of `core.script`: statements, names and the functions that only scripts have; may import core alone."""
