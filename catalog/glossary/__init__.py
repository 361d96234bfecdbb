"""The words of the search in three languages, their file and page; tests/catalog/glossary."""
