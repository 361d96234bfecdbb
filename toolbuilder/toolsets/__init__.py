"""Toolsets composed by people, what one costs and how well its tools are found, and what a key sees and why."""
