"""Limits of calls: their rows, and the gate that counts calls against them.

Redis counts; PostgreSQL keeps what was counted, and counts itself while Redis is away.
"""
