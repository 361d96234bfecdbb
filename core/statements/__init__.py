"""Parts of `core.statement`: one lexer for each dialect; may import core alone."""
