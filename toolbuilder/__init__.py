"""How people define tools: drafts, trials, versions, pages. May import tools, catalog, access, gateways and core."""
