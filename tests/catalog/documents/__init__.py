"""Reference documents: files, rows, vectors, command and pages."""
