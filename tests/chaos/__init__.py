"""Tools under faults: real servers that are stopped, killed and cut off while agents call."""
