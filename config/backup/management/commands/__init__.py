"""`manage.py backup` and `manage.py restore`."""
