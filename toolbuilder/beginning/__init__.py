"""How a tool begins: from SQL, a table, a starter, a paste; tests in tests/toolbuilder/beginning."""
