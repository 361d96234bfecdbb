"""Tests of benchmarks: what reads answers and writes the page; they measure nothing."""
