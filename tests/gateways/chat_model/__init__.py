"""Language models that answer well and badly."""
