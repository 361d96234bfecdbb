"""What every engine does, or says that it does not: one suite over the registry.

A new engine adds a stand to stands.py; nothing else here knows which engines there are.
"""
