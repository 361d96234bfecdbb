"""Template tags of the pages of tools."""
