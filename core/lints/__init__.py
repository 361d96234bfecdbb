"""Parts of `core.lint`: the rules by what they look at; may import core alone."""
