"""Plans of queries as trees; tests of core/plans."""
