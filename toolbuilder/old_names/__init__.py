"""The page of a tool's old names: who still calls by them, and how long they answer."""
