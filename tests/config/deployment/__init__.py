"""The check of a deployment, against real services."""
