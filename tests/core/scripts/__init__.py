"""Parts of scripts."""
