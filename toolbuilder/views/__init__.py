"""Pages of tools, and the dashboard. May import toolbuilder and what is below it."""
