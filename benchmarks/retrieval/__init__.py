"""How well tools and columns are found: data, systems, measures; run it with `python -m`."""
