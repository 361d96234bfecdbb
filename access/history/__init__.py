"""What becomes of recorded calls: partitions of months, figures of days; tests in tests/access/history."""
