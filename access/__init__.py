"""Who may call and what was called: API keys, call records, runtimes. May import gateways and core."""
