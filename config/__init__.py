"""Settings, entry points and the embedded services. May import everything."""
