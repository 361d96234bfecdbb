"""The search lab: tools ranked as agents find them, saved questions, and what agents searched; no views."""
