"""Parts of `core.expression`: syntax, functions and guards of the allow-list; may import core alone."""
