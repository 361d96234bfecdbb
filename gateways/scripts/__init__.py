"""Closed processes in which scripts run; may import core and the standard library."""
