"""What the product remembers for each person: layout, favourite tables, named filters; tests in tests/toolbuilder/preferences."""
