"""`manage.py backup` and `manage.py restore`: what people have made, in one file.

What is in it says `tables.py`; a test fails for a table that is declared nowhere. Tests: tests/config/backup.
"""
