"""Tests of agents/, run in its own environment: `make agent-test`."""
