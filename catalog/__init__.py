"""The databases that an administrator registered. May import access, gateways and core."""
