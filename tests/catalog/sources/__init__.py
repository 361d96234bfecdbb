"""Data sources: settings, checks, forms and pages."""
