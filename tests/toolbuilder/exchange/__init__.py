"""Tools as files, and the command that reads and writes them."""
