"""What people write of tables, columns and relations; tests/catalog/editing."""
