"""The demo shop and its ready tools: SQL and JSON data, and what loads them; may import toolbuilder."""
