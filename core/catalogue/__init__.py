"""The data catalogue as plain data, and the answers made of it. Knows no I/O and no framework."""
