"""Reads what a database says of its tables, and a few of their rows. Imports core and the sources beside it."""
