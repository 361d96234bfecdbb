"""What people write of tables, columns and relations."""
