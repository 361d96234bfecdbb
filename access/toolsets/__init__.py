"""Toolsets: tools that are granted together and have an endpoint of their own."""
