"""Tests of agents/, run in its own environment: `make test-agent`."""
