"""How a database would run a query, as a tree that a person can read. Imports the rest of core."""
