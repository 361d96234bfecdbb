"""Tests of gateways/: real databases, no framework."""
