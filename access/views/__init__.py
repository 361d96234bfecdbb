"""Pages of calls and keys. May import access and core."""
