"""Of docs/: commands that exist, metrics and symptoms that the code has, and the site."""
