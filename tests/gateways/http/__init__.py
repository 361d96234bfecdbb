"""HTTP services that tools call."""
