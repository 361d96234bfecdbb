"""The editor's working copy of a tool: read from forms, saved, kept in step with its logic, shown."""
