"""Changes that another person looks at."""
