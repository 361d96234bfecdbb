"""Roles of people and groups, over all or by toolset. May import access and core."""
