"""What agents are told of the catalogue: entries, answers and the REST API."""
