"""Tests of config.demo."""
