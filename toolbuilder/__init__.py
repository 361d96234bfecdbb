"""The tools' rows and how they are edited. May import catalog, access, gateways and core."""
