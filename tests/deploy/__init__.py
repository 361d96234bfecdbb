"""The files of deploy/: they fit the program, and each other."""
