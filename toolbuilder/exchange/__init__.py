"""Tools as files: written, read, compared with what is there, and published. May import toolbuilder."""
