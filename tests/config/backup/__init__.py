"""Backups, made of and put into real databases."""
