"""The glossary's concepts, file and page."""
