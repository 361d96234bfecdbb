"""Review: a change that another person looks at, discusses and publishes. May import editing, history and replays."""
