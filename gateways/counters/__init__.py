"""Counters in Redis that several processes share."""
