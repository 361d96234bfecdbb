"""Tags and filters of the templates of calls and keys."""
